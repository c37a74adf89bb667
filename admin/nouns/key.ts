import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { findVendor } from "../find.ts";
import { CSV, futureTime, integer, text, wrongCsv } from "../options.ts";
import { type Filters, lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
import { revokeCredential } from "./credential.ts";

const LABEL = text("--label <text>", "what the key is for");

/** The number of characters of a key that the database keeps to recognise it. */
const PREFIX_LENGTH = 12;

/** The days that `--expiring` looks ahead unless given. */
const DAYS = 30;

/** @param hidden for `npm run vendor -- key`, which is short for `npm run admin -- key` */
export function addKey(parent: AdminCommand, hidden = false): void {
  const key = parent.noun("key", "the API keys of vendors", hidden);
  const list = "keys, of all vendors or of one, by their first characters; or what will expire";
  key.verb("list [vendor]", list, "acme")
    .takes(
      integer(
        "--expiring [days]",
        `keys, webhook secrets and tokens that expire within so many days; ${DAYS} unless given`,
        1,
      )
        .preset(String(DAYS)),
      CSV,
    )
    .addHelpText("after", "\nNone that a newer one of the vendor outlives.")
    .refuses((_vendor: string | undefined, given: { json?: boolean; csv?: boolean }) => wrongCsv(given))
    .reads((session, vendor: string | undefined, { expiring, csv }: Filters & { csv?: boolean }) =>
      expiring === undefined
        ? (vendor === undefined ? listAllKeys : listKeys)(session, { vendor, csv })
        : listExpiring(session, { vendor, expiring, csv })
    );

  const create = 'acme --label "production" --expires 2099-01-31';
  key.verb("create <vendor>", "a new key, shown once", create)
    .takes(LABEL, futureTime("--expires <date>", "when it stops working; never, unless given"))
    .runs(createKey);

  const revoke = "stops a key at once, named by its first characters";
  key.verb("revoke <vendor> <key>", revoke, "acme lik_Qm3x")
    .refuses((_slug: string, given: string) => given.trim() === "" && "give the first characters of the key")
    .runs((session, vendor: string, given: string) =>
      revokeCredential(session, "key", vendor, given.trim().slice(0, PREFIX_LENGTH))
    );

  const rotate = "a new key, shown once; all others of the vendor stop at once or at the time given";
  key.verb("rotate <vendor>", rotate, "acme --keep-old-until 2099-01-31")
    .takes(LABEL, futureTime("--keep-old-until <date>", "when the other keys stop working"))
    .runs(rotateKeys);
}

const KEY_COLUMNS = ["key", "label", "state", "created", "last_used", "expires", "revoked"];

const listKeys = lists("key_list", {
  order: "created",
  none: ({ vendor }) => `${vendor} has no key yet: npm run admin -- key create ${vendor}`,
  shown: KEY_COLUMNS,
});

const listAllKeys = lists("key_list", {
  order: "vendor, created",
  none: "No vendor has a key yet: npm run admin -- key create --help",
  shown: ["vendor", ...KEY_COLUMNS],
});

const listExpiring = lists("expiring_key_list", {
  order: "expires, vendor, what desc, key",
  none: ({ expiring }) => `Nothing expires within ${expiring} days that no newer one outlives.`,
  shown: ["vendor", "what", "key", "label", "expires", "days_left"],
});

async function createKey(
  { sql, target, act }: Session,
  name: string,
  { label, expires }: { label?: string; expires?: Date },
): Promise<Outcome> {
  const { id: vendor_id, slug } = await findVendor(sql, name);
  const key = await act(
    (transaction) =>
      valueOf<string>(transaction`
        select public.create_vendor_api_key(${slug}, ${label ?? null}, ${expires ?? null})`),
    (key) => ({ vendor_id, key_prefix: key.slice(0, PREFIX_LENGTH) }),
  );
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

async function rotateKeys(
  { sql, target, confirm, act }: Session,
  name: string,
  { label, keepOldUntil }: { label?: string; keepOldUntil?: Date },
): Promise<Outcome> {
  const { id: vendor_id, slug } = await findVendor(sql, name);
  if (keepOldUntil === undefined) {
    // As in revokeCredential(), a script need not say so.
    const question = `Make a new key for ${slug} and revoke all others for good?`;
    await confirm(question, { unattended: true });
  }
  const { key, ended } = await act(
    (transaction) =>
      valueOf<{ key: string; ended: string[] }>(transaction`
        select public.rotate_vendor_api_keys(${slug}, ${label ?? null}, ${keepOldUntil ?? null})`),
    ({ key }) => ({ vendor_id, key_prefix: key.slice(0, PREFIX_LENGTH) }),
  );
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
