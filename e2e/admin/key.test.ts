/** `npm run admin -- key`: the life of a vendor's keys. */
import assert from "node:assert/strict";
import { admin, adminJson, assertRefused, npmRunOnTerminal } from "../support/admin.ts";
import { createVendor, send, sql, type Vendor } from "../support/client.ts";

async function statusWith(key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await send("/recruiting/ingest?dry_run=true", { headers, body: { first_name: "Ada" } }))
    .status;
}

/** Gives a vendor's keys, in the order in which they were made, these first characters. */
async function rename(vendor: Vendor, ...prefixes: string[]): Promise<void> {
  const keys = await sql`
    select id from public.vendor_api_keys where vendor_id = ${vendor.id} order by created_at, id`;
  for (const [i, prefix] of prefixes.entries()) {
    await sql`update public.vendor_api_keys set key_prefix = ${prefix} where id = ${keys[i]!.id}`;
  }
}

Deno.test("key revoke takes any beginning of a key that no other key has", async () => {
  const vendor = await createVendor();
  await sql`select public.create_vendor_api_key(${vendor.slug}, 'second')`;
  await rename(vendor, "lik_AAbbbbbb", "lik_AAcccccc");

  assertRefused(
    await admin(`key revoke ${vendor.slug} lik_AA`),
    1,
    /^"lik_AA" stands for several: lik_AAbbbbbb \(test, works\), lik_AAcccccc \(second, works\)$/,
  );
  assert.equal(await statusWith(vendor.key), 200);
  const refused = await admin(`key revoke ${vendor.slug} lik_X`);
  assertRefused(refused, 1, /^There is no key "lik_X"\. See npm run admin -- key list /);

  const revoked = await adminJson(`key revoke ${vendor.slug} lik_AAb`);
  assert.deepEqual(revoked, { slug: vendor.slug, key_prefix: "lik_AAbbbbbb", revoked: true });
  assert.equal(await statusWith(vendor.key), 401);
  const states = await sql`
    select revoked_at is not null as revoked from public.vendor_api_keys
    where vendor_id = ${vendor.id} order by key_prefix`;
  assert.deepEqual(states.map(({ revoked }) => revoked), [true, false]);
});

Deno.test("key revoke takes the whole key", async () => {
  const vendor = await createVendor();
  const { code, err } = await admin(`key revoke ${vendor.slug} ${vendor.key}`);
  assert.equal(code, 0, err);
  assert.equal(await statusWith(vendor.key), 401);
});

Deno.test("another vendor's key is not revoked", async () => {
  const [vendor, other] = [await createVendor(), await createVendor()];
  const { code } = await admin(`key revoke ${vendor.slug} ${other.key}`);
  assert.equal(code, 1);
  assert.equal(await statusWith(other.key), 200);
});

Deno.test("key rotate makes a new key, and the old ones stop at once", async () => {
  const vendor = await createVendor();
  const { key, ended } = await adminJson(`key rotate ${vendor.slug}`);
  assert.deepEqual(ended, [vendor.key.slice(0, 12)]);
  assert.equal(await statusWith(vendor.key), 401);
  assert.equal(await statusWith(key), 200);
});

Deno.test("key rotate may leave the old keys a while, but never longer than they had", async () => {
  const vendor = await createVendor();
  await sql`select public.create_vendor_api_key(${vendor.slug}, 'short', '2098-01-01Z')`;
  const until = "2099-01-31T00:00:00.000Z";
  const { key } = await adminJson(`key rotate ${vendor.slug} --keep-old-until ${until}`);
  assert.equal(await statusWith(vendor.key), 200);
  assert.equal(await statusWith(key), 200);
  const keys = await sql`
    select label, expires_at from public.vendor_api_keys
    where vendor_id = ${vendor.id} and revoked_at is null order by created_at`;
  assert.deepEqual(keys.map(({ expires_at }) => expires_at?.toISOString() ?? null), [
    until,
    "2098-01-01T00:00:00.000Z",
    null,
  ]);
});

Deno.test({
  name: "on a terminal, key revoke asks first",
  // The `script` of other systems takes its command in another way.
  ignore: Deno.build.os !== "linux",
  async fn() {
    const vendor = await createVendor();
    const revoke = `key revoke ${vendor.slug} ${vendor.key}`;
    const declined = await npmRunOnTerminal(revoke, "n\n");
    assert.equal(declined.code, 1, declined.out);
    assert.match(declined.out, /for good\? \[y\/N\][^]*Nothing was changed\./);
    assert.equal(await statusWith(vendor.key), 200);
    const accepted = await npmRunOnTerminal(revoke, "y\n");
    assert.equal(accepted.code, 0, accepted.out);
    assert.equal(await statusWith(vendor.key), 401);
  },
});
