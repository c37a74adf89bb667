import type { AdminCommand } from "../command.ts";
import { findVendor, theOnly } from "../find.ts";
import { futureTime, text } from "../options.ts";
import { lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
import { type Credential, describeCredential, revokeOnce } from "./credential.ts";

const LABEL = text("--label <text>", "what the key is for");

/** How many characters of a key the database keeps to recognise it by. */
const PREFIX_LENGTH = 12;

/** @param hidden for `npm run vendor -- key`, which is short for `npm run admin -- key` */
export function addKey(parent: AdminCommand, hidden = false): void {
  const key = parent.noun("key", "the API keys of vendors", hidden);
  key.verb("list <vendor>", "a vendor's keys, by their first characters", "acme")
    .runs((session, vendor: string) => listKeys(session, { vendor }));

  const create = 'acme --label "production" --expires 2099-01-31';
  key.verb("create <vendor>", "a new key, shown once", create)
    .takes(LABEL, futureTime("--expires <date>", "when it stops to work; never, unless given"))
    .runs(createKey);

  const revoke = "stops a key at once, named by its first characters";
  key.verb("revoke <vendor> <key>", revoke, "acme lik_Qm3x")
    .refuses((_slug: string, given: string) =>
      given.trim() === "" && "give the first characters of the key"
    )
    .runs(revokeKey);

  const rotate =
    "a new key, shown once; all others of the vendor stop at once or at the time given";
  key.verb("rotate <vendor>", rotate, "acme --keep-old-until 2099-01-31")
    .takes(LABEL, futureTime("--keep-old-until <date>", "when the other keys stop to work"))
    .runs(rotateKeys);
}

const listKeys = lists("key_list", {
  order: "created",
  none: ({ vendor }) => `${vendor} has no key yet: npm run admin -- key create ${vendor}`,
  shown: ["key", "label", "state", "created", "last_used", "expires", "revoked"],
});

async function createKey(
  { sql, target }: Session,
  name: string,
  { label, expires }: { label?: string; expires?: Date },
): Promise<Outcome> {
  const { slug } = await findVendor(sql, name);
  const [{ key }] = await sql<[{ key: string }]>`
    select public.create_vendor_api_key(${slug}, ${label ?? null}, ${expires ?? null}) as key`;
  return {
    data: { slug, key, key_prefix: key.slice(0, PREFIX_LENGTH), label, expires_at: expires },
    text: describeNewKey(slug, key, target.baseUrl),
  };
}

function describeNewKey(slug: string, key: string, baseUrl: string): string {
  return `A new key for ${slug}, shown only this once:

  ${key}

Try it on a payload; this stores nothing, and without ?dry_run=true it stores the lead:

  curl -sS '${baseUrl}/recruiting/ingest?dry_run=true' \\
    -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' --data @payload.json`;
}

/** Revokes the key that begins so; the database keeps no more than the first 12 characters. */
async function revokeKey(session: Session, name: string, given: string): Promise<Outcome> {
  const { sql } = session;
  const { id: vendorId, slug } = await findVendor(sql, name);
  const beginning = given.trim().slice(0, PREFIX_LENGTH);
  const keys = await sql<Credential[]>`
    select key as id, label, state from public.key_list
    where vendor_id = ${vendorId} and starts_with(key, ${beginning}) order by created`;
  const key = theOnly(keys, "key", beginning, describeCredential, `key list ${slug}`);
  const { text, revoked } = await revokeOnce(
    session,
    slug,
    key,
    `${key.id}…`,
    () => sql`select public.revoke_vendor_api_key(${key.id})`,
  );
  return { data: { slug, key_prefix: key.id, revoked }, text };
}

async function rotateKeys(
  { sql, target, confirm }: Session,
  name: string,
  { label, keepOldUntil }: { label?: string; keepOldUntil?: Date },
): Promise<Outcome> {
  const { slug } = await findVendor(sql, name);
  if (keepOldUntil === undefined) {
    // As in revokeOnce(), a script need not say so.
    const question = `Make a new key for ${slug} and revoke all others for good?`;
    await confirm(question, { unattended: true });
  }
  const [{ rotated }] = await sql<[{ rotated: { key: string; ended: string[] } }]>`
    select public.rotate_vendor_api_keys(${slug}, ${label ?? null}, ${keepOldUntil ?? null})
      as rotated`;
  const { key, ended } = rotated;
  const key_prefix = key.slice(0, PREFIX_LENGTH);
  const when = keepOldUntil === undefined ? "at once" : `at ${keepOldUntil.toISOString()}`;
  const stopped = ended.length === 0
    ? `${slug} had no other key that works.`
    : `These stop ${when}: ${ended.map((prefix) => `${prefix}…`).join(", ")}`;
  return {
    data: { slug, key, key_prefix, ended, ended_at: keepOldUntil ?? new Date() },
    text: `${describeNewKey(slug, key, target.baseUrl)}\n\n${stopped}`,
  };
}
