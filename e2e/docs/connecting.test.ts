/** The settings that docs/connecting.md gives for vendors that sign: as pasted, and with what each vendor sends. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { admin, adminWithSecret } from "../support/admin.ts";
import { assertError, createVendor, send, storedLeads } from "../support/client.ts";
import { readPage } from "../support/docs.ts";

/** The options of each `webhook set <slug> --scheme hmac …` on the page, by slug. */
const SETTINGS = new Map(
  readPage("docs/connecting.md").replaceAll("\\\n", " ")
    .matchAll(/webhook set (\S+) (--scheme hmac .*)/g)
    .map(([, slug, options]) => [slug!, options!]),
);

const SECRET = "the secret of the vendor";

/** The signature of a text, in the encoding. */
type Sign = (text: string, encoding: "hex" | "base64") => string;

/** The headers of a vendor's delivery. docs/parsers.md names the sources. */
const HEADERS: Record<string, (sign: Sign, body: string, now: Date) => Record<string, string>> = {
  jazzhr: (sign, body) => ({ "X-JazzHR-Signature": sign(body, "hex") }),
  talroo: (sign, body, now) => {
    const time = Math.floor(now.getTime() / 1000);
    return { "x-talroo-signature": `t=${time},v1=${sign(`${time}.${body}`, "hex")}` };
  },
  tiktok: (sign, body) => ({ "X-Open-Signature": sign(body, "hex") }),
  typeform: (sign, body) => ({ "Typeform-Signature": `sha256=${sign(body, "base64")}` }),
  workable: (sign, body) => ({ "X-Workable-Signature": sign(body, "hex") }),
  ziprecruiter: (sign, body, now) => ({
    "X-ZipRecruiter-Signature": sign(`${now.toISOString()}.${body}`, "base64"),
    "X-ZipRecruiter-Signature-Timestamp": now.toISOString(),
  }),
};

/** Sets a vendor up as the page says, and sends what it would send. */
async function connect(name: string): Promise<void> {
  const vendor = await createVendor();
  const set = await admin(`vendor webhook set ${vendor.slug} ${SETTINGS.get(name)!}`);
  assert.equal(set.code, 0, set.err);
  const create = `vendor webhook secret create ${vendor.slug}`;
  assert.equal((await adminWithSecret(SECRET, create)).code, 0);

  const body = '{"first_name": "José"}';
  const deliver = (secret: string) => {
    const sign: Sign = (text, encoding) => createHmac("sha256", secret).update(text).digest(encoding);
    const headers = HEADERS[name]!(sign, body, new Date());
    return send(`/recruiting/webhooks/${vendor.slug}`, { headers, body });
  };
  assert.equal((await deliver(SECRET)).status, 201, name);
  assertError(await deliver("another secret"), 401, "UNAUTHORIZED", /missing or wrong/);
  assert.equal((await storedLeads(vendor)).length, 1);
}

Deno.test("docs/connecting.md: with the settings for each vendor that signs, what it signs is stored, and nothing else", async () => {
  assert.deepEqual([...SETTINGS.keys()].sort(), Object.keys(HEADERS));
  await Promise.all(Object.keys(HEADERS).map(connect));
});
