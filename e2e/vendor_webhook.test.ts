/** How a vendor is recognised by its webhook, and how its deliveries are stored, below the routes. */
import assert from "node:assert/strict";
import { ApiError } from "../supabase/functions/_shared/errors.ts";
import type { WebhookSettings } from "../supabase/functions/recruiting/webhooks/delivery.ts";
import { previewLead } from "../supabase/functions/recruiting/ingest/vendor_calls.ts";
import { insertWithResume } from "../supabase/functions/recruiting/ingest/insert_with_resume.ts";
import { insertLead } from "../supabase/functions/recruiting/ingest/lead_calls.ts";
import { toVendor, type Vendor as Sender } from "../supabase/functions/recruiting/ingest/vendor.ts";
import { authenticateWebhook } from "../supabase/functions/recruiting/webhooks/authenticate_webhook.ts";
import {
  atOnce,
  createVendor as createVendorWithKey,
  PDF,
  sql,
  stack,
  storedLeads,
  storedResumes,
  type Vendor,
} from "./support/client.ts";

Deno.env.set("SUPABASE_URL", stack.api_url);
Deno.env.set("SUPABASE_SECRET_KEYS", JSON.stringify({ default: stack.secret_key }));

const LEAD = { first_name: "Ada", vendor_lead_id: null, vendor_metadata: {} };
const RESUME = { bytes: PDF, mediaType: "application/pdf", ending: "pdf" };

function leadOf(vendor: Sender) {
  const lead = { ...LEAD, id: crypto.randomUUID(), resume_path: null };
  return { vendor, lead, idempotency: null };
}

/** A vendor with a webhook and these secrets. */
async function createVendor(...secrets: string[]): Promise<Vendor> {
  const vendor = await createVendorWithKey();
  await sql`update public.vendors set webhook_scheme = 'standard' where id = ${vendor.id}`;
  for (const secret of secrets) await addSecret(vendor, secret);
  return vendor;
}

async function addSecret(vendor: Vendor, secret: string): Promise<string> {
  const [{ id }] = await sql<[{ id: string }]>`
    insert into private.vendor_webhook_secrets (vendor_id, secret) values (${vendor.id}, ${secret})
    returning id`;
  return id;
}

/** What a request with this secret proves: the id of the secret. */
async function prove(slug: string, secret: string): Promise<string> {
  const check = (webhook: WebhookSettings | null) =>
    webhook?.secrets.find((known) => known.secret === secret)?.id ?? null;
  return (await authenticateWebhook(slug, check)).proof;
}

const code = (expected: string) => (error: unknown) =>
  error instanceof ApiError && error.code === expected;
const wrongProof = {
  code: "UNAUTHORIZED",
  message: "the signature or secret is missing or wrong",
  headers: {},
};

/** The vendor of a delivery with an id, as the webhook's route has it. */
function vendorOf(vendor: Vendor, secretId: string, deliveryId: string, part = 0) {
  const webhook = { secret_id: secretId, delivery_id: deliveryId, part };
  const settings = { vendor_id: vendor.id, parser: null, parser_config: {}, rate_limit: null };
  return toVendor({ key_hash: null, webhook }, settings);
}

Deno.test("a proof is checked with the webhook of the slug, and whatever is wrong looks the same", async () => {
  const [vendor, other] = [await createVendor("a", "b"), await createVendor("c")];
  const off = await createVendorWithKey();
  await addSecret(off, "a");
  const inactive = await createVendor("a");
  await sql`update public.vendors set is_active = false where id = ${inactive.id}`;

  assert.notEqual(await prove(vendor.slug, "a"), await prove(vendor.slug, "b"));
  assert.equal(await prove(vendor.slug, "a"), await prove(vendor.slug, "a"));
  const strange = ["unknown", "", "UPPER", "a\0b", "ä", "x".repeat(10_000)];
  for (const slug of [vendor.slug, other.slug]) {
    await assert.rejects(() => prove(slug, slug === other.slug ? "a" : "c"), wrongProof);
  }
  for (const slug of [off.slug, inactive.slug, ...strange]) {
    await assert.rejects(() => prove(slug, "a"), wrongProof);
  }
});

Deno.test("a new secret counts at once, and one that is taken away stores nothing from then on", async () => {
  const vendor = await createVendor("old");
  const old = await prove(vendor.slug, "old");
  await addSecret(vendor, "new");
  const newer = await prove(vendor.slug, "new");
  assert.notEqual(newer, old);

  await sql`select public.revoke_vendor_webhook_secret(${old})`;
  const revoked = vendorOf(vendor, old, "d1");
  await assert.rejects(() => insertLead(leadOf(revoked)), wrongProof);
  await assert.rejects(() => previewLead(revoked, LEAD), wrongProof);
  await assert.rejects(() => prove(vendor.slug, "wrong"), wrongProof);
  await assert.rejects(() => prove(vendor.slug, "old"), wrongProof, "and is forgotten");

  await sql`update public.vendors set webhook_scheme = null where id = ${vendor.id}`;
  const off = vendorOf(vendor, newer, "d1");
  await assert.rejects(() => insertLead(leadOf(off)), wrongProof);
  assert.equal((await storedLeads(vendor)).length, 0);
});

Deno.test("race: one delivery twenty times at once is one lead with one resume", async () => {
  const vendor = await createVendor();
  const secret = await addSecret(vendor, "a");
  const deliver = (part = 0) =>
    insertWithResume(leadOf(vendorOf(vendor, secret, "d1", part)), RESUME).catch((error) => {
      assert(code("CONFLICT")(error), error);
      return null;
    });
  const results = await atOnce(20, () => deliver());
  const stored = results.filter((result) => result !== null);
  assert.equal(stored.filter(({ status }) => status === "created").length, 1);
  assert.equal(new Set(stored.map(({ id }) => id)).size, 1);

  const { id } = stored[0]!;
  assert.deepEqual(await deliver(), { id, status: "duplicate" });
  assert.notEqual((await deliver(1))?.id, id, "another lead of the delivery");
  const leads = await storedLeads(vendor);
  assert.equal(leads.length, 2);
  assert.deepEqual(
    (await storedResumes(vendor)).sort(),
    leads.map(({ resume_path }) => resume_path).sort(),
  );
});
