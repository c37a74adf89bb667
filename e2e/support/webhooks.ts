import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { type ApiResponse, createVendor, send, sql, type Vendor } from "./client.ts";

/** A vendor with a webhook that no other test uses. */
export interface Webhook extends Vendor {
  scheme: string;
  secret: string;
}

/** The settings that each scheme needs. */
export const CONFIGS: Record<string, Record<string, string | number>> = {
  hmac: {
    header: "x-acme-signature",
    algorithm: "sha512",
    encoding: "hex",
    prefix: "v1=",
    signed: "{timestamp}.{body}",
    timestamp_header: "x-acme-time",
  },
  header: { header: "x-acme-key" },
  query: { parameter: "token" },
};

/** Makes a vendor with a webhook and a secret. */
export async function createWebhook(
  scheme = "header",
  { parser = "generic", config = {} }: { parser?: string | null; config?: object } = {},
): Promise<Webhook> {
  const vendor = await createVendor(parser, config);
  await sql`
    update public.vendors
    set webhook_scheme = ${scheme}, webhook_config = ${sql.json(CONFIGS[scheme] ?? {})}
    where id = ${vendor.id}`;
  const random = crypto.randomUUID();
  const secret = scheme === "basic" ? `acme:${random}` : scheme === "standard" ? `whsec_${btoa(random)}` : random;
  await addSecret(vendor, secret);
  return { ...vendor, scheme, secret };
}

/** Gives a vendor one more secret. Returns its id. */
export async function addSecret(
  vendor: Vendor,
  secret: string,
  kind: "secret" | "verify_token" | "access_token" = "secret",
): Promise<string> {
  const [created] = await sql<[{ id: string }]>`
    select public.create_vendor_webhook_secret(${vendor.slug}, ${kind}, ${secret}, 'test') as id`;
  return created.id;
}

/** How a delivery is sent. */
export interface Sending {
  headers?: Record<string, string>;
  /** Other parameters of the query, without `?`. */
  query?: string;
  /** The id of the delivery, for the scheme `standard`. */
  id?: string;
  /** When it was signed. */
  at?: Date;
}

/** The parts that a vendor sends with a body: the headers, and the path with its query. */
export function proofOf(
  { slug, scheme, secret }: Webhook,
  body: string | Uint8Array,
  { query = "", id = crypto.randomUUID(), at = new Date() }: Sending = {},
): { path: string; headers: Record<string, string> } {
  const path = `/recruiting/webhooks/${slug}`;
  const time = String(Math.floor(at.getTime() / 1_000));
  const sign = (
    algorithm: string,
    encoding: "hex" | "base64",
    text = "",
    key: string | Buffer = secret,
  ) => createHmac(algorithm, key).update(text).update(body).digest(encoding);
  const withQuery = query === "" ? path : `${path}?${query}`;
  const withHeaders = (headers: Record<string, string>) => ({ path: withQuery, headers });
  switch (scheme) {
    case "hmac":
      return withHeaders({
        "x-acme-time": time,
        "x-acme-signature": `v1=${sign("sha512", "hex", `${time}.`)}`,
      });
    case "standard": {
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      return withHeaders({
        "webhook-id": id,
        "webhook-timestamp": time,
        "webhook-signature": `v1,${sign("sha256", "base64", `${id}.${time}.`, key)}`,
      });
    }
    case "indeed":
      return withHeaders({ "x-indeed-signature": sign("sha1", "base64") });
    case "greenhouse":
      return withHeaders({ signature: `sha256 ${sign("sha256", "hex")}` });
    case "linkedin":
      return withHeaders({ "x-li-signature": sign("sha256", "hex", "hmacsha256=") });
    case "meta":
      return withHeaders({ "x-hub-signature-256": `sha256=${sign("sha256", "hex")}` });
    case "basic":
      return withHeaders({ authorization: `Basic ${btoa(secret)}` });
    case "header":
      return withHeaders({ "x-acme-key": secret });
    case "query":
      return { path: `${path}?token=${secret}${query && `&${query}`}`, headers: {} };
    default:
      return withHeaders({});
  }
}

/** Sends a delivery with the vendor's proof. A body that is not a text or bytes is sent as JSON. */
export function deliver(
  webhook: Webhook,
  body: unknown,
  sending: Sending = {},
): Promise<ApiResponse> {
  const raw = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  const { path, headers } = proofOf(webhook, raw, sending);
  const type: Record<string, string> = raw === body ? {} : { "content-type": "application/json" };
  return send(path, { headers: { ...type, ...headers, ...sending.headers }, body: raw });
}

/** The rejected deliveries of a vendor. */
export function rejected(vendor: Pick<Vendor, "id">) {
  return sql`
    select * from public.rejected_deliveries where vendor_id = ${vendor.id} order by row, vendor_lead_id`;
}
