import type { Command } from "commander";
import type postgres from "postgres";
import { findVendor, type VendorRow } from "../find.ts";
import { futureTime, text } from "../options.ts";
import { CommandError, type Outcome, type Run, type Session } from "../outcome.ts";
import { formatTable } from "../table.ts";
import { addNoun, addVerb } from "../verb.ts";

interface KeySettings {
  label?: string;
  expires?: Date;
}

interface Rotation {
  label?: string;
  keepOldUntil?: Date;
}

interface KeyRow {
  key_prefix: string;
  label: string | null;
  state: "works" | "expired" | "revoked";
}

/** How many characters of a key the database keeps to recognise it by. */
const PREFIX_LENGTH = 12;

/** A script may stop a key without `--yes`: a key that has leaked must not wait for anybody. */
const UNATTENDED = { unattended: true };

export function addKey(parent: Command, run: Run): void {
  const key = addNoun(parent, "key", "the API keys of vendors");
  const label = () => text("--label <text>", "what the key is for");

  addVerb(key, "list <slug>", "a vendor's keys, by their first characters", "list acme")
    .action((slug: string) => run(({ sql }) => listKeys(sql, slug)));

  addVerb(
    key,
    "create <slug>",
    "a new key, shown once",
    'create acme --label "production" --expires 2099-01-31',
  )
    .addOption(label())
    .addOption(futureTime("--expires <date>", "when it stops to work; never, unless given"))
    .action((slug: string, settings: KeySettings) =>
      run((session) => createKey(session, slug, settings))
    );

  addVerb(
    key,
    "revoke <slug> <key>",
    "stops a key at once, named by its first characters",
    "revoke acme lik_Qm3x",
  )
    .action((slug: string, given: string, _options: unknown, command: Command) => {
      if (given.trim() === "") command.error("give the first characters of the key");
      return run((session) => revokeKey(session, slug, given));
    });

  addVerb(
    key,
    "rotate <slug>",
    "a new key, shown once; all others of the vendor stop at once or at the time given",
    "rotate acme --keep-old-until 2099-01-31",
  )
    .addOption(label())
    .addOption(futureTime("--keep-old-until <date>", "when the other keys stop to work"))
    .action((slug: string, rotation: Rotation) =>
      run((session) => rotateKeys(session, slug, rotation))
    );
}

async function createKey(
  { sql, baseUrl }: Session,
  slug: string,
  { label, expires }: KeySettings,
): Promise<Outcome> {
  await findVendor(sql, slug);
  const key = await makeKey(sql, slug, label, expires);
  return {
    data: { slug, key, key_prefix: key.slice(0, PREFIX_LENGTH), label, expires_at: expires },
    text: describeNewKey(slug, key, baseUrl),
  };
}

async function makeKey(
  sql: postgres.ISql,
  slug: string,
  label: string | undefined,
  expires?: Date,
): Promise<string> {
  const [made] = await sql<[{ key: string }]>`
    select public.create_vendor_api_key(${slug}, ${label ?? null}, ${expires ?? null}) as key`;
  return made.key;
}

function describeNewKey(slug: string, key: string, baseUrl: string): string {
  return `A new key for ${slug}, shown only this once:

  ${key}

Try it on a payload; this stores nothing, and without ?dry_run=true it stores the lead:

  curl -sS '${baseUrl}/recruiting/ingest?dry_run=true' \\
    -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' --data @payload.json`;
}

async function listKeys(sql: postgres.Sql, slug: string): Promise<Outcome> {
  const vendor = await findVendor(sql, slug);
  const keys = await sql`
    select k.key_prefix as key, k.label, ${stateOfKey(sql)} as state,
      k.created_at as created, k.last_used_at as last_used, k.expires_at as expires, k.revoked_at as revoked
    from public.vendor_api_keys k where k.vendor_id = ${vendor.id} order by k.created_at`;
  const none = `${slug} has no key yet: npm run vendor -- key create ${slug}`;
  return { data: keys, text: keys.length > 0 ? formatTable(keys) : none };
}

function stateOfKey(sql: postgres.Sql) {
  return sql`
    case
      when k.revoked_at is not null then 'revoked'
      when k.expires_at <= now() then 'expired'
      else 'works'
    end`;
}

async function revokeKey(
  { sql, confirm }: Session,
  slug: string,
  given: string,
): Promise<Outcome> {
  const vendor = await findVendor(sql, slug);
  const { key_prefix, state } = await findKey(sql, vendor, given);
  const outcome = { slug, key_prefix, revoked: state !== "revoked" };
  if (state === "revoked") return { data: outcome, text: `${key_prefix}… was revoked before` };

  await confirm(`Revoke ${key_prefix}… of ${slug} for good?`, UNATTENDED);
  await sql`select public.revoke_vendor_api_key(${key_prefix})`;
  return { data: outcome, text: `Revoked ${key_prefix}…, which stops at once` };
}

/** Finds a key by its beginning; the database keeps no more than the first 12 characters. */
async function findKey(sql: postgres.Sql, vendor: VendorRow, given: string): Promise<KeyRow> {
  const beginning = given.trim().slice(0, PREFIX_LENGTH);
  const keys = await sql<KeyRow[]>`
    select k.key_prefix, k.label, ${stateOfKey(sql)} as state
    from public.vendor_api_keys k
    where k.vendor_id = ${vendor.id} and starts_with(k.key_prefix, ${beginning})
    order by k.created_at`;
  const [key, other] = keys;
  if (key === undefined) {
    throw new CommandError(
      `${vendor.slug} has no key that starts with "${beginning}": ` +
        `npm run vendor -- key list ${vendor.slug}`,
    );
  }
  if (other !== undefined) {
    const matches = keys.map(({ key_prefix, label, state }) =>
      `${key_prefix} (${label === null ? state : `${label}, ${state}`})`
    );
    throw new CommandError(
      `"${beginning}" is the beginning of several keys: ${matches.join(", ")}`,
    );
  }
  return key;
}

async function rotateKeys(
  { sql, baseUrl, confirm }: Session,
  slug: string,
  { label, keepOldUntil }: Rotation,
): Promise<Outcome> {
  const vendor = await findVendor(sql, slug);
  if (keepOldUntil === undefined) {
    await confirm(`Make a new key for ${slug} and revoke all others for good?`, UNATTENDED);
  }
  return await sql.begin(async (transaction) => {
    const ended = await transaction<{ key_prefix: string }[]>`
      update public.vendor_api_keys k
      set
        revoked_at = ${keepOldUntil === undefined ? transaction`now()` : null},
        expires_at = least(k.expires_at, ${keepOldUntil ?? null})
      where k.vendor_id = ${vendor.id}
        and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now())
      returning k.key_prefix`;
    const key = await makeKey(transaction, slug, label);
    const prefixes = ended.map(({ key_prefix }) => key_prefix);
    const when = keepOldUntil === undefined ? "at once" : `at ${keepOldUntil.toISOString()}`;
    const stopped = prefixes.length === 0
      ? `${slug} had no other key that works.`
      : `These stop ${when}: ${prefixes.map((prefix) => `${prefix}…`).join(", ")}`;
    return {
      data: {
        slug,
        key,
        key_prefix: key.slice(0, PREFIX_LENGTH),
        ended: prefixes,
        ended_at: keepOldUntil ?? new Date(),
      },
      text: `${describeNewKey(slug, key, baseUrl)}\n\n${stopped}`,
    };
  });
}
