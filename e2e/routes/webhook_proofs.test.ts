/** The proofs of vendors to their webhooks, and that a stranger learns nothing. */
import assert from "node:assert/strict";
import {
  type ApiResponse,
  assertError,
  assertResponse,
  assertStored,
  atOnce,
  send,
  sql,
  storedLeads,
} from "../support/client.ts";
import { admin } from "../support/admin.ts";
import { consoleOf, functionWith } from "../support/function.ts";
import { eventually } from "../support/processes.ts";
import { addSecret, createWebhook, deliver, proofOf, rejected, type Webhook } from "../support/webhooks.ts";
import { withFetch } from "../../dev/testing/faults/responses.ts";
import { SCHEMES } from "../../supabase/functions/recruiting/webhooks/proof.ts";

/** The requests of vendors whose schemes have a format of their own. */
const BODIES: Record<string, { parser: string; body: object }> = {
  indeed: { parser: "indeed", body: { id: "1", applicant: { fullName: "Ann Lee" } } },
  greenhouse: {
    parser: "greenhouse",
    body: {
      action: "new_candidate_application",
      payload: { application: { id: 1, candidate: { first_name: "Ann", last_name: "Lee" } } },
    },
  },
  google_ads: {
    parser: "google_ads",
    body: { lead_id: "1", user_column_data: [{ column_id: "FULL_NAME", string_value: "Ann Lee" }] },
  },
};

/** A webhook of a scheme, with a body for it. */
async function createSender(scheme: string): Promise<{ webhook: Webhook; body: object }> {
  const { parser, body } = BODIES[scheme] ?? { parser: "generic", body: { name: "Ann Lee" } };
  const webhook = await createWebhook(scheme, { parser });
  const key = scheme === "google_ads" ? { google_key: webhook.secret } : {};
  return { webhook, body: { ...body, ...key } };
}

/** A response without the parts that differ from request to request. */
function shown({ status, headers, body }: ApiResponse) {
  const names = [...headers.keys()].filter((name) => !["date", "x-request-id"].includes(name));
  return { status, headers: names.map((name) => [name, headers.get(name)]), body: { ...body, request_id: null } };
}

Deno.test("of each scheme a lead with its proof is stored, and with another nothing happens", async () => {
  await Promise.all(
    Object.keys(SCHEMES).map(async (scheme) => {
      const { webhook, body } = await createSender(scheme);
      const requestId = crypto.randomUUID();
      const created = await deliver(webhook, body, { headers: { "x-request-id": requestId } });
      const { id } = assertResponse(created, scheme === "greenhouse" ? 200 : 201);
      const [lead, ...others] = await storedLeads(webhook);
      assert.partialDeepStrictEqual(lead, { id, received_via: "webhook", request_id: requestId });
      assert.equal(others.length, 0);
      assert(!JSON.stringify(lead).includes(webhook.secret));

      const forger = { ...webhook, secret: scheme === "standard" ? "whsec_AAAA" : "acme:wrong" };
      const forged = scheme === "google_ads" ? { ...body, google_key: "wrong" } : body;
      assertError(await deliver(forger, forged), 401, "UNAUTHORIZED", /missing or wrong/);
      await assertStored(webhook, 1);
      assert.equal((await rejected(webhook)).length, 0);
    }),
  );
});

Deno.test("an unknown slug, an inactive vendor, a vendor without a webhook and a wrong proof look the same", async () => {
  const vendors = [await createWebhook(), await createWebhook(), await createWebhook()] as const;
  const [known, off, inactive] = vendors;
  await sql`update public.vendors set webhook_scheme = null where id = ${off.id}`;
  await sql`update public.vendors set is_active = false where id = ${inactive.id}`;
  const strange = ["unknown", "UPPER", "%00", "ü", "a".repeat(9_000)];
  const slugs = [...vendors.map(({ slug }) => slug), ...strange];
  const requests: [string, () => Parameters<typeof send>[1]][] = [
    ["", () => ({ headers: { "x-acme-key": "wrong" }, body: { first_name: "Ann" } })],
    ["?token=x&dry_run=maybe", () => ({ body: "not JSON", headers: { "content-type": "text/html" } })],
    ["", () => ({ body: "", headers: { "content-encoding": "gzip", "idempotency-key": "a b" } })],
    ["", () => ({ method: "GET" })],
    ["?challengeCode=890e4665-4dfe-4ab1-b689-ed553bceeed0", () => ({ method: "GET" })],
    ["?hub.mode=subscribe&hub.challenge=1&hub.verify_token=", () => ({ method: "GET" })],
  ];
  for (const [query, request] of requests) {
    const responses = await Promise.all(
      slugs.map((slug) => send(`/recruiting/webhooks/${slug}${query}`, request())),
    );
    const [first, ...others] = responses.map(shown);
    assert.equal(first!.status, 401);
    for (const other of others) assert.deepEqual(other, first);
  }
  const tooLarge = { body: "x".repeat(15 * 2 ** 20 + 1), headers: { "x-acme-key": "wrong" } };
  const one = await send(`/recruiting/webhooks/${known.slug}`, tooLarge);
  const two = await send("/recruiting/webhooks/unknown", tooLarge);
  assert.deepEqual([one.status, shown(two)], [413, shown(one)]);
  const head = await send(`/recruiting/webhooks/${known.slug}`, { method: "HEAD" });
  assert.deepEqual([head.status, head.body], [401, null]);
  const put = await send(`/recruiting/webhooks/${known.slug}`, { method: "PUT", body: {} });
  assertError(put, 405, "METHOD_NOT_ALLOWED", /POST or GET/);
  for (const vendor of vendors) {
    assert.equal((await rejected(vendor)).length, 0);
    await assertStored(vendor, 0);
  }
});

Deno.test("an operator sees why a webhook's request got 401, and its sender sees nothing of it", async () => {
  const recruiting = await functionWith("recruiting", {});
  const [webhook, off] = [await createWebhook("hmac"), await createWebhook()];
  await sql`update public.vendors set webhook_scheme = null where id = ${off.id}`;
  const body = '{"first_name": "Ann"}';
  const path = `/recruiting/webhooks/${webhook.slug}`;
  const wrong = proofOf({ ...webhook, secret: "wrong" }, body).headers;
  const seconds = Math.floor(Date.now() / 1_000);
  const unknown = `unknown-${crypto.randomUUID()}`;
  const requests: [string, string, Record<string, string>][] = [
    ["proof_missing", path, {}],
    ["proof_malformed", path, { ...wrong, "x-acme-signature": "abc" }],
    ["time_missing", path, { ...wrong, "x-acme-time": "" }],
    ["time_in_milliseconds", path, { ...wrong, "x-acme-time": `${seconds}000` }],
    ["time_too_old", path, proofOf(webhook, body, { at: new Date(0) }).headers],
    ["time_in_future", path, { ...wrong, "x-acme-time": String(seconds + 900) }],
    ["differs", path, wrong],
    ["differs", path, wrong],
    ["webhook_off", `/recruiting/webhooks/${off.slug}`, wrong],
    ["webhook_off", `/recruiting/webhooks/${unknown}`, wrong],
    ["webhook_off", "/recruiting/webhooks/UPPER%00", wrong],
  ];
  const responses: unknown[] = [];
  const lines = await consoleOf(async () => {
    for (const [, path, headers] of requests) {
      const { status, headers: sent, body: response } = await recruiting(path, { headers, body });
      responses.push({ status, names: [...sent.keys()].sort(), body: { ...response, request_id: null } });
    }
    const tooLarge = await recruiting(path, { headers: wrong, body: "x".repeat(15 * 2 ** 20 + 1) });
    assert.equal(tooLarge.status, 413);
  });
  for (const response of responses) assert.deepEqual(response, responses[0]);
  const logged = lines.map((line) => JSON.parse(line)).filter(({ route }) => route?.startsWith("/recruiting/webhooks"));
  assert.deepEqual(logged.map(({ proof }) => proof), [...requests.map(([reason]) => reason), undefined]);

  const countsOf = async ({ id }: { id: string }) => {
    const rows = await sql`select reason, requests::int from public.refused_proof_list where vendor_id = ${id}`;
    return Object.fromEntries(rows.map(({ reason, requests }) => [reason, requests]));
  };
  const expected = Object.fromEntries(requests.slice(0, 7).map(([reason]) => [reason, reason === "differs" ? 2 : 1]));
  await eventually(60, async () => assert.deepEqual(await countsOf(webhook), expected));
  assert.deepEqual(await countsOf(off), { webhook_off: 1 });
  assert.deepEqual([...await sql`select from public.refused_proof_list where vendor = ${unknown}`], []);
  assert.equal((await rejected(webhook)).length, 0);

  const shown = await admin(`delivery list --vendor ${webhook.slug}`);
  assert.match(shown.out, /^No delivery is open\.\n\nRequests to webhooks that got 401:\n/);
  assert.match(shown.out, /time_in_milliseconds +the signed time is in milliseconds: it must be in seconds +1 /);
  assert.match((await admin(`vendor webhook show ${webhook.slug}`)).out, /Requests that got 401:\n\n.*meaning/s);
});

Deno.test("a flood of wrong proofs keeps out no right one, and is counted in one row by few calls", async () => {
  const recruiting = await functionWith("recruiting", {});
  const [webhook, unseen] = [await createWebhook(), await createWebhook()];
  const calls: number[] = [];
  const post = async (slug: string, secret: string) => {
    const sent = { headers: { "x-acme-key": secret }, body: { first_name: "Ann" } };
    return (await recruiting(`/recruiting/webhooks/${slug}`, sent)).status;
  };
  const flood = async () => {
    const guesses = await atOnce(300, (n) => post(n % 2 ? webhook.slug : `unknown-${n}`, "wrong"));
    assert.deepEqual([...new Set(guesses)], [401]);
    for (const { slug, secret } of [webhook, unseen]) assert.equal(await post(slug, secret), 201);
    await eventually(60, async () => {
      const rows = await sql`
        select requests::int from public.refused_proof_list where vendor_id = ${webhook.id}`;
      assert.deepEqual(rows.map(({ requests }) => requests), [150]);
    });
  };
  await withFetch(async (fetch, input, init) => {
    if (String(input).endsWith("/rpc/record_refused_proofs")) {
      calls.push(JSON.parse(String(init!.body)).refused.length);
    }
    return await fetch(input, init);
  }, () => consoleOf(flood));
  assert(calls.length < 10, `${calls.length} calls`);
  for (const refused of calls) assert(refused <= 101, `${refused} in a call`);
});

Deno.test("LinkedIn's and Meta's challenges get their responses", async () => {
  const [linkedin, meta] = [await createWebhook("linkedin"), await createWebhook("meta")];
  const challengeCode = crypto.randomUUID();
  const ask = ({ slug }: Webhook, query: string) => send(`/recruiting/webhooks/${slug}?${query}`, { method: "GET" });
  const { headers } = proofOf({ ...linkedin, scheme: "greenhouse" }, challengeCode);
  const challengeResponse = headers.signature!.slice("sha256 ".length);
  const response = await ask(linkedin, `challengeCode=${challengeCode}`);
  assertResponse(response, 200, { challengeCode, challengeResponse });

  await addSecret(meta, "verify-me", "verify_token");
  const subscribe = (token: string) =>
    ask(meta, `hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`);
  assertResponse(await subscribe("verify-me"), 200, "1158201444");
  assertResponse(await subscribe("guessed"), 401);
});

Deno.test("a secret that is taken away stops at once, although the vendor is cached", async () => {
  const webhook = await createWebhook();
  const rotated = { ...webhook, secret: crypto.randomUUID() };
  const id = await addSecret(webhook, rotated.secret);
  const lead = { first_name: "Ann" };
  assertResponse(await deliver(rotated, lead), 201);
  await sql`select public.revoke_vendor_webhook_secret(${id})`;
  assertError(await deliver(rotated, lead), 401, "UNAUTHORIZED", /missing or wrong/);
  assertResponse(await deliver(webhook, lead), 201);
  await assertStored(webhook, 2);
});

Deno.test("a secret in the query or the body is in no log and in no rejected delivery", async () => {
  const recruiting = await functionWith("recruiting", {});
  const query = await createWebhook("query");
  const google = await createWebhook("google_ads", { parser: "google_ads" });
  const responses: string[] = [];
  const lines = await consoleOf(async () => {
    const bodies: [Webhook, (secret: string) => string][] = [
      [query, () => "{}"],
      [query, () => "not JSON"],
      [query, () => '{"first_name": "Ann"}'],
      [google, (google_key) => JSON.stringify({ google_key, is_test: true })],
    ];
    for (const [webhook, makeBody] of bodies) {
      for (const secret of [webhook.secret, `${webhook.secret}-wrong`]) {
        const body = makeBody(secret);
        const { path } = proofOf({ ...webhook, secret }, body);
        responses.push(JSON.stringify((await recruiting(path, { body })).body));
      }
    }
    await recruiting(proofOf(query, "").path, { method: "GET" });
  });
  const requests = lines.filter((line) => line.includes("/recruiting/webhooks/:slug"))
    .map((line) => JSON.parse(line));
  assert.equal(requests.length, 9);
  const refused = requests.filter(({ status }) => status === 401).map(({ vendor_id }) => vendor_id);
  assert.deepEqual(refused, [query.id, query.id, query.id, google.id, query.id]);
  const kept = [...await rejected(query), ...await rejected(google)];
  assert.deepEqual(kept.map(({ route }) => route), Array(3).fill("/recruiting/webhooks/:slug"));
  for (const { secret } of [query, google]) {
    for (const text of [...lines, ...responses, JSON.stringify(kept)]) {
      assert(!text.includes(secret), text);
    }
  }
});
