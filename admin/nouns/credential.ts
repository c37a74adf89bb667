/** The credential of a vendor: an API key, or a secret of its webhook. */
import { findVendor, requireOne } from "../find.ts";
import type { Outcome, Session } from "../session.ts";

interface Credential {
  id: string;
  label: string | null;
  state: "works" | "expired" | "revoked";
}

/** The row of a credential in the list, and the function that revokes it. */
const KINDS = {
  key: { list: "key list", view: "key_list", id: "key", subject: "key_prefix", revoke: "revoke_vendor_api_key" },
  secret: {
    list: "vendor webhook secret list",
    view: "webhook_secret_list",
    id: "id",
    subject: "secret_id",
    revoke: "revoke_vendor_webhook_secret",
  },
};

/**
 * Revokes a credential of a vendor, unless that was done before. Goes on in a script without `--yes`: what has leaked
 * must not wait for anybody.
 *
 * @param beginning a secret's id, or the first 8 characters of it; a key's own first characters
 */
export async function revokeCredential(
  { sql, confirm, act }: Session,
  kind: keyof typeof KINDS,
  vendor: string,
  beginning: string,
): Promise<Outcome> {
  const { list, view, id: column, subject, revoke } = KINDS[kind];
  const { id: vendorId, slug } = await findVendor(sql, vendor);
  const isMeant = kind === "key"
    ? sql`starts_with(key, ${beginning})`
    : sql`exists (select from private.id_range(${beginning}) r where id between r.first_id and r.last_id)`;
  const found = await sql<Credential[]>`
    select ${sql(column)}::text as id, label, state from ${sql(view)}
    where vendor_id = ${vendorId} and ${isMeant} order by created`;
  const describe = ({ label, state }: Credential) => label === null ? state : `${label}, ${state}`;
  const { id, state } = requireOne(found, kind, beginning, describe, `${list} ${slug}`);
  const shown = kind === "key" ? `${id}…` : `the secret ${id}`;
  const revoked = state !== "revoked";
  if (revoked) {
    await confirm(`Revoke ${shown} of ${slug} for good?`, { unattended: true });
    await act(
      (transaction) => transaction`select ${sql(revoke)}(${id})`,
      { vendor_id: vendorId, [subject]: id },
    );
  }
  const text = revoked ? `Revoked ${shown}, which stops at once` : `${shown} was revoked before`;
  return { data: { slug, [kind === "key" ? "key_prefix" : "id"]: id, revoked }, text };
}
