/** `npm run admin -- vendor webhook`: a vendor that cannot send an API key. */
import assert from "node:assert/strict";
import { SCHEMES } from "../../admin/nouns/webhook_schemes.ts";
import {
  admin,
  adminJson,
  adminWithSecret,
  assertAllRefused,
  assertRefused,
  npmRun,
  npmRunOnTerminal,
} from "../support/admin.ts";
import { createVendor, sql, stack, type Vendor } from "../support/client.ts";

const json = (line: string) => adminJson(`vendor webhook ${line}`);
const webhook = (line: string) => admin(`vendor webhook ${line}`);

/** The webhook as the functions find it. */
async function identified(vendor: Vendor) {
  const [row] = await sql`select public.identify_webhook(${vendor.slug}) as webhook`;
  return row!.webhook;
}

async function secretsOf(vendor: Vendor): Promise<string[]> {
  const { secrets } = await identified(vendor);
  return secrets.map(({ secret }: { secret: string }) => secret);
}

Deno.test("a webhook is set, shown with its address, and switched off", async () => {
  const vendor = await createVendor();
  const set = await webhook(`set ${vendor.slug} --scheme hmac --header X-Sig --algorithm sha512
    --prefix "v1 = " --signed {timestamp}.{body} --timestamp-header X-Time --tolerance-seconds 60`);
  assert.equal(set.code, 0, set.err);
  const url = `${stack.functions_url}/recruiting/webhooks/${vendor.slug}`;
  assert(set.out.includes(url), set.out);
  assert.match(set.out, /no secret yet, .* secret create test-\S+ --generate, or without/);
  const { scheme, config } = await identified(vendor);
  assert.equal(scheme, "hmac");
  assert.deepEqual(config, {
    header: "X-Sig",
    algorithm: "sha512",
    prefix: "v1 = ",
    signed: "{timestamp}.{body}",
    timestamp_header: "X-Time",
    tolerance_seconds: 60,
  });
  assert.deepEqual(await json(`show ${vendor.slug}`), {
    slug: vendor.slug,
    scheme,
    config,
    url,
    secrets: 0,
    refused: [],
  });

  await json(`set ${vendor.slug} --scheme query --parameter token`);
  assert.deepEqual((await identified(vendor)).config, { parameter: "token" });
  assert.match((await webhook(`show ${vendor.slug}`)).out, /ends with \?token=<the secret>/);
  assert.equal((await webhook(`off ${vendor.slug}`)).code, 0);
  assert.equal(await identified(vendor), null);
  assert.match((await webhook(`show ${vendor.slug}`)).out, /has no webhook: .* webhook set /);
});

Deno.test("every scheme can be set with what it needs", async () => {
  const vendor = await createVendor();
  const options: Record<string, string> = {
    header: "--header X-Sig",
    algorithm: "--algorithm sha256",
    parameter: "--parameter token",
  };
  for (const [scheme, { needs = [] }] of Object.entries(SCHEMES)) {
    const given = needs.map((setting) => options[setting]!).join(" ");
    assert.equal((await json(`set ${vendor.slug} --scheme ${scheme} ${given}`)).scheme, scheme);
  }
});

Deno.test("a secret is made and shown once, in the form of its scheme, and revoked", async () => {
  const vendor = await createVendor();
  for (
    const [scheme, form] of [
      ["standard", /^whsec_[A-Za-z0-9+/]{43}=$/],
      ["basic", new RegExp(`^${vendor.slug}:[A-Za-z0-9_-]{43}$`)],
      ["google_ads", /^[A-Za-z0-9_-]{43}$/],
    ] as const
  ) {
    await json(`set ${vendor.slug} --scheme ${scheme}`);
    const { secret } = await json(`secret create ${vendor.slug} --generate --label ${scheme}`);
    assert.match(secret, form);
    assert.equal((await secretsOf(vendor))[0], secret);
  }

  const list = await webhook(`secret list ${vendor.slug}`);
  assert.match(list.out, /^\S+ +secret +google_ads +works /m);
  for (const secret of await secretsOf(vendor)) assert(!list.out.includes(secret));
  assert.equal((await json(`show ${vendor.slug}`)).secrets, 3);

  const [{ id }] = await json(`secret list ${vendor.slug}`);
  const revoked = await json(`secret revoke ${vendor.slug} ${id.slice(0, 13)}`);
  assert.deepEqual(revoked, { slug: vendor.slug, id, revoked: true });
  assert.equal((await secretsOf(vendor)).length, 2);
  assert.match((await webhook(`secret revoke ${vendor.slug} ${id}`)).out, /was revoked before/);
});

Deno.test("a secret of the vendor's console is read from stdin, and not shown again", async () => {
  const vendor = await createVendor();
  await json(`set ${vendor.slug} --scheme meta`);
  const given = "an app secret";
  const create = `vendor webhook secret create ${vendor.slug}`;
  const { code, out, err } = await adminWithSecret(`${given}\n`, create);
  assert.equal(code, 0, err);
  assert(!out.includes(given));
  const token = await json(`secret create ${vendor.slug} --kind verify_token --generate`);
  assert.deepEqual(await secretsOf(vendor), [token.secret, given]);

  assertRefused(await adminWithSecret(given, create), 1, /^secret: the vendor has it already$/);

  const piped = await npmRun("admin", create, {}, "piped secret\n");
  assert.equal(piped.code, 0, piped.err);
  assert.equal((await secretsOf(vendor))[0], "piped secret");
  const none = await npmRun("admin", create);
  assertRefused(none, 1, /^No secret was given: pipe it in, or add --generate/);
});

Deno.test({
  name: "on a terminal a secret is asked for, and what is typed is not shown",
  // The `script` of other systems takes its command in another way.
  ignore: Deno.build.os !== "linux",
  async fn() {
    const vendor = await createVendor();
    await json(`set ${vendor.slug} --scheme meta`);
    const create = `vendor webhook secret create ${vendor.slug}`;
    const { code, out } = await npmRunOnTerminal(create, "typed secret\n");
    assert.equal(code, 0, out);
    assert.match(out, /The secret of test-\S+\? What you type is not shown\./);
    assert.deepEqual(await secretsOf(vendor), ["typed secret"]);
  },
});

Deno.test("a mistake with a webhook is named with what to do next, and changes nothing", async () => {
  const vendor = await createVendor();
  const { slug } = vendor;
  const create = (secret: string) => adminWithSecret(secret, `vendor webhook secret create ${slug}`);
  assertRefused(await create("a good secret"), 1, /has no webhook yet: .* webhook set /);
  const set = `vendor webhook set ${slug} --scheme hmac --header X --algorithm sha1`;
  const wrong = /^A header is a name such as X-Signature, .* --signed holds \{body\}/;
  await assertAllRefused(
    [1, /^There is no vendor "nobody-there"/, "vendor webhook show nobody-there"],
    [1, wrong, `${set} --header "X Y"`],
    [1, wrong, `${set} --signed {id}`],
  );
  assert.equal(await identified(vendor), null);

  await json(`set ${slug} --scheme basic`);
  assertRefused(await create("no colon here"), 1, /^secret: must be user:password$/);
  assertRefused(await create("u:short"), 1, /^A secret has 8 characters at least/);
  assertRefused(await create("user:two\nlines"), 1, /^secret: must be one line of 1 to 1,024/);
  await json(`set ${slug} --scheme linkedin`);
  const fromConsole = /^The secret of linkedin comes from its console\. Enter it without --generate/;
  const unknown = /^There is no secret "5f0c"\. See .* webhook secret list /;
  await assertAllRefused(
    [1, fromConsole, `vendor webhook secret create ${slug} --generate`],
    [1, unknown, `vendor webhook secret revoke ${slug} 5f0c`],
  );
  assert.deepEqual(await secretsOf(vendor), []);
});

Deno.test("another vendor's secret is not revoked", async () => {
  const [vendor, other] = [await createVendor(), await createVendor()];
  await json(`set ${other.slug} --scheme google_ads`);
  const { id } = await json(`secret create ${other.slug} --generate`);
  assertRefused(
    await webhook(`secret revoke ${vendor.slug} ${id}`),
    1,
    /^There is no secret /,
  );
  assert.equal((await secretsOf(other)).length, 1);
});
