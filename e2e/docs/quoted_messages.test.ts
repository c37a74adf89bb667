/** Every message of a response that the docs and openapi.json quote is one that the service sends. */
import assert from "node:assert/strict";
import { STATUS_OF_CODE } from "../../supabase/functions/_shared/errors.ts";
import { ingest, ingestBulk } from "../support/applications.ts";
import { type ApiResponse, createVendor, send, sql, stack } from "../support/client.ts";
import { readPage } from "../support/docs.ts";
import { createActivity, createTarget, importLeads, lead, logActivity } from "../support/leads.ts";
import { refusingLeads, rowLock, whileHeld } from "../../dev/testing/faults/database.ts";

const PAGES = ["vendors", "interface", "decisions", "parsers", "specification"].map((name) => `docs/${name}.md`);
const OPENAPI = "supabase/functions/_shared/openapi.json";

/** A request for each quoted message, whose response must have it. `…` stands for any text. */
const REQUESTS: Record<string, () => Promise<ApiResponse>> = {
  "no parser is configured for the vendor": async () => ingest(await createVendor(null), {}),
  "not a new application": async () => ingest(await createVendor("greenhouse"), { action: "ping", payload: {} }),
  "parser_config.fields.phone: cannot read …": async () =>
    ingest(await createVendor("mapping", { fields: { first_name: "name", phone: "a[" } }), {}),
  "missing first_name": async () => ingest(await createVendor(), {}),
  "invalid API key": () => send("/recruiting/ingest", { headers: { authorization: "Bearer lik_nobody" }, body: {} }),
  "send the body as application/json": async () => {
    const headers = { "content-type": "application/xml" };
    return ingest(await createVendor(), "<lead/>", "", headers);
  },
  "the body is larger than 10 MiB": async () =>
    ingestBulk(await createVendor(), { leads: [{ first_name: "A".repeat(10 * 1024 * 1024) }] }),
  "Idempotency-Key: the key came before with another body": async () => {
    const [vendor, headers] = [await createVendor(), { "idempotency-key": "key" }];
    await ingest(vendor, { first_name: "Ann" }, "", headers);
    return ingest(vendor, { first_name: "Ben" }, "", headers);
  },
  "the first request with this Idempotency-Key or webhook id is still at work": requestWhileFirstRuns,
  "more than 10 requests a minute": async () => {
    const vendor = await createVendor();
    await sql`update public.vendors set rate_limit = 10 where id = ${vendor.id}`;
    await Promise.all(Array.from({ length: 10 }, () => ingest(vendor, {})));
    return ingest(vendor, {});
  },
  "the request could not be completed; send the same request again": requestThatFails,
  "send the same request again": requestThatFails,
  "external_id is missing; phone is missing": async () =>
    importLeads(await createTarget(), [lead({ external_id: null, phone: null })]),
  "the agency has a lead with this external_id": async () => {
    const [target, leads] = [await createTarget(), [lead()]];
    await importLeads(target, leads);
    return importLeads(target, leads);
  },
  "lead_id: no such lead of this agent": async () =>
    logActivity({ ...await createActivity(), lead_id: crypto.randomUUID() }),
  "must be one of presentation_started, presentation_resumed, presentation_paused": logWrongType,
  "type must be one of presentation_started, presentation_resumed, presentation_paused": logWrongType,
};

/** Messages that take half a minute, or a part of the stack to be stopped: the test that waits for them. */
const ELSEWHERE: Record<string, string> = {
  "the body did not arrive within 30 s": "e2e/routes/bodies.test.ts",
};

/** Texts that read like a message, and that a vendor sends. */
const OF_VENDORS = ["test lead: dummy data …"];

/** The messages that a page quotes: three words or more in backticks, which are no command. */
function quotedIn(page: string): string[] {
  const text = readPage(page).replace(/^```.*?^```/gms, "").replace(/\s+/g, " ");
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, code]) => code!)
    .filter((code) => /^[a-z][\w.]*:?( [\w.,:;'…]+){2,}$/.test(code) && !/^np[mx] /.test(code))
    .filter((code) => !OF_VENDORS.includes(code));
}

/** Every `message` and `reason` below a value. */
function messagesOf(value: unknown): string[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, item]) =>
    ["message", "reason"].includes(name) && typeof item === "string" ? [item] : messagesOf(item)
  );
}

const QUOTED = Map.groupBy(
  [
    ...PAGES.flatMap((file) => quotedIn(file).map((message) => ({ file, message }))),
    ...messagesOf(JSON.parse(readPage(OPENAPI))).map((message) => ({ file: OPENAPI, message })),
  ],
  ({ message }) => message,
);

for (const [message, quotes] of QUOTED) {
  const files = [...new Set(quotes.map(({ file }) => file))].join(" and ");
  Deno.test(`${files} quotes "${message}", which a response has`, async () => {
    const remedy = `correct what ${files} quotes` +
      (files.includes(OPENAPI) ? " (beside its route, or in dev/scripts/openapi; then npm run openapi)" : "");
    const test = ELSEWHERE[message];
    if (test !== undefined) {
      assert(readPage(test).includes(message), `${test} does not wait for it: ${remedy}`);
      return;
    }
    const request = REQUESTS[message];
    assert(
      request,
      `e2e/docs/quoted_messages.test.ts has no request that gets it: add one, or ${remedy}`,
    );
    const { status, body } = await request();
    const pattern = new RegExp(message.split("…").map(RegExp.escape).join(".+"));
    const received = messagesOf(body);
    assert(
      received.some((text) => pattern.test(text)),
      `the response is ${status} ${JSON.stringify(received)}: ${remedy}`,
    );
  });
}

Deno.test("each message that has a request here is quoted", () => {
  const messages = [...Object.keys(REQUESTS), ...Object.keys(ELSEWHERE)];
  assert.deepEqual(messages.filter((message) => !QUOTED.has(message)), []);
});

Deno.test("docs/vendors.md has every error code that a vendor may get, with its status", () => {
  const rows = readPage("docs/vendors.md").matchAll(/^\| ([\d, ]+) \| (`[A-Z_`, ]+`) /gm);
  const listed = Array.from(rows, ([, statuses, codes]) => {
    const all = codes!.match(/\w+/g)!;
    return statuses!.match(/\d+/g)!.map((status, n) => [all[n], Number(status)] as const);
  }).flat();
  const { FORBIDDEN: _, ...ofVendors } = STATUS_OF_CODE;
  assert.deepEqual(Object.fromEntries(listed), ofVendors);
});

async function logWrongType(): Promise<ApiResponse> {
  return logActivity({ ...await createActivity(), type: "closed" });
}

/** The second request with an Idempotency-Key while the first one waits for a lead that somebody has locked. */
async function requestWhileFirstRuns(): Promise<ApiResponse> {
  const activity = await createActivity();
  const headers = { apikey: stack.anon_key, "idempotency-key": crypto.randomUUID() };
  let both: Promise<ApiResponse>[] = [];
  let second: ApiResponse | undefined;
  await whileHeld(rowLock("public.leads", activity.lead_id), async () => {
    both = [logActivity(activity, headers), logActivity(activity, headers)];
    second = await Promise.race(both);
  });
  await Promise.all(both);
  return second!;
}

/** A request whose lead the database refuses. */
async function requestThatFails(): Promise<ApiResponse> {
  const vendor = await createVendor();
  return await refusingLeads(() => ingest(vendor, { first_name: "Refused" }));
}
