import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import postgres from "postgres";
import { readStackInfo } from "../../dev/local/mod.ts";
import { type ApiResponse, readDocumented } from "./documented.ts";

export type { ApiResponse };

/** The running stack that the scenarios go against. */
export const stack = readStackInfo();

const CONNECTIONS = 8;

/** The stack's database. A scenario makes in it what it needs, and looks at what was stored. */
export const sql = postgres(stack.db_url, { max: CONNECTIONS, onnotice: () => {} });

// A connection that was lost with its server never says that it has ended.
Deno.test.afterAll(() => sql.end({ timeout: 1 }));

/** Uses each connection once after the server was restarted: one that was lost refuses its first query, and is replaced. */
export async function renewConnections(): Promise<void> {
  await Promise.allSettled(Array.from({ length: CONNECTIONS }, () => sql`select pg_sleep(0.2)`));
}

/** What a scenario sends. A body that is an object or array is sent as JSON. */
export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/**
 * Sends a request to a path below `{base_url}`, e.g. `/recruiting/ingest`, and asserts that its response is documented.
 * The method is POST unless given.
 */
export async function send(
  path: string,
  { method = "POST", headers = {}, body }: Sent = {},
): Promise<ApiResponse> {
  const raw = body === undefined || typeof body === "string" || body instanceof Uint8Array ||
    body instanceof URLSearchParams || body instanceof FormData || body instanceof ReadableStream;
  const received = await fetch(stack.functions_url + path, {
    method,
    headers: raw ? headers : { "content-type": "application/json", ...headers },
    body: (raw ? body : JSON.stringify(body)) as BodyInit | undefined,
  });
  return await readDocumented(method, path, received);
}

/** Asserts that a response is an error with this status, code and message. */
export function assertError(
  { status, body, headers }: ApiResponse,
  expected: number,
  code: string,
  message: RegExp,
): void {
  assert.equal(status, expected, JSON.stringify(body));
  assert.equal(body.error.code, code);
  assert.match(body.error.message, message);
  assert.equal(body.request_id, headers.get("x-request-id"));
}

/** Asserts the status of a response, and its body where one is given. Returns the body. */
export function assertResponse(
  response: Pick<ApiResponse, "status" | "body">,
  status: number,
  body: unknown = response.body,
): ApiResponse["body"] {
  assert.deepEqual([response.status, response.body], [status, body]);
  return response.body;
}

/** Calls something this many times at once, each with its number from 0 on, and waits for all. */
export function atOnce<Result>(
  times: number,
  call: (n: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, (_, n) => call(n)));
}

/** A vendor that no other test uses, with its key. */
export interface Vendor {
  id: string;
  slug: string;
  key: string;
}

/** Makes a vendor with a key. */
export async function createVendor(
  parser: string | null = "generic",
  config: object = {},
): Promise<Vendor> {
  const slug = `test-${crypto.randomUUID()}`;
  const [vendor] = await sql`
    insert into public.vendors (slug, name, parser, parser_config)
    values (${slug}, ${slug}, ${parser}, ${sql.json(config as never)})
    returning id`;
  const [created] = await sql`select public.create_vendor_api_key(${slug}, 'test') as key`;
  return { slug, id: vendor!.id, key: created!.key };
}

/** The headers with a vendor's key. */
export function withKey(vendor: Vendor): Record<string, string> {
  return { authorization: `Bearer ${vendor.key}` };
}

/** Makes an agency with this number of agents. */
export async function createAgency(agents = 1): Promise<{ id: string; agent_ids: string[] }> {
  const [agency] = await sql`
    insert into public.agencies (name, timezone) values ('An agency under test', 'America/New_York')
    returning id`;
  const people = await sql`
    insert into public.agents (agency_id, first_name, last_name, role)
    select ${agency!.id}, 'Agent', n::text, 'agent' from generate_series(1, ${agents}) as n
    returning id`;
  return { id: agency!.id, agent_ids: people.map(({ id }) => id) };
}

/** Makes an agency with this number of agents, and an open order that takes only one vendor's leads. */
export async function createOrder(
  vendor: Vendor,
  { quantity = 1_000, agents = 1 }: { quantity?: number; agents?: number } = {},
): Promise<{ id: string; agency_id: string; agent_ids: string[] }> {
  const agency = await createAgency(agents);
  // With this priority it comes before the seed's order, which takes any lead.
  const [order] = await sql`
    insert into public.recruiting_orders (agency_id, vendor_id, quantity, priority)
    values (${agency.id}, ${vendor.id}, ${quantity}, 1000)
    returning id`;
  return { id: order!.id, agency_id: agency.id, agent_ids: agency.agent_ids };
}

/** The number of leads that an order has got. */
export async function filledOf(order: { id: string }): Promise<number> {
  const [row] = await sql`select filled from public.recruiting_orders where id = ${order.id}`;
  return row!.filled;
}

/** The numbers of an order's leads that its agents have got, the smallest number first. */
export async function turnsOf(order: { id: string }): Promise<number[]> {
  const rows = await sql`
    select count(*)::int as leads from public.recruiting_leads where order_id = ${order.id}
    group by agent_id order by leads`;
  return rows.map(({ leads }) => leads);
}

/** Runs something while no open order takes the leads of any vendor, nor the seed's those of its own. */
export async function withoutOpenOrders<Result>(run: () => Promise<Result>): Promise<Result> {
  const paused = await sql`
    update public.recruiting_orders set status = 'paused'
    where status = 'open'
      and (vendor_id is null or vendor_id = (select id from public.vendors where slug = 'generic'))
    returning id`;
  try {
    return await run();
  } finally {
    const ids = paused.map(({ id }) => id);
    await sql`update public.recruiting_orders set status = 'open' where id in ${sql(ids)}`;
  }
}

/** A small PDF with one page, and with bytes that are not valid text in any encoding. */
export const PDF = new Uint8Array([
  ...new TextEncoder().encode(
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n" +
      "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>endobj\n%",
  ),
  ...Array.from({ length: 256 }, (_, byte) => byte),
  ...new TextEncoder().encode("\ntrailer<</Root 1 0 R>>\n%%EOF\n"),
]);

/** A PDF of this size, in base64. */
export function pdfOf(bytes: number): string {
  const pdf = Buffer.alloc(bytes);
  pdf.set(PDF);
  return pdf.toString("base64");
}

/** The paths of a vendor's objects in the bucket `resumes`. */
export async function storedResumes(vendor: Vendor): Promise<string[]> {
  const rows = await sql`
    select name from storage.objects where bucket_id = 'resumes' and name like ${vendor.id + "/%"}`;
  return rows.map(({ name }) => name);
}

/** A vendor's leads, oldest first. */
export function storedLeads(vendor: Vendor) {
  return sql`select * from public.recruiting_leads where vendor_id = ${vendor.id} order by created_at, id`;
}

/** Asserts how many leads and resumes of a vendor are stored. */
export async function assertStored(vendor: Vendor, leads: number, resumes = 0): Promise<void> {
  assert.equal((await storedLeads(vendor)).length, leads);
  assert.equal((await storedResumes(vendor)).length, resumes);
}

/**
 * Asserts that the kept count of leads is right for every order and day. Holds at any time, also while others write.
 */
export async function assertDailyCounts(): Promise<void> {
  assert.deepEqual([...await sql`select * from public.check_daily_counts()`], []);
}
