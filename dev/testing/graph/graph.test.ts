/** The client of the Graph API against its double, and the double as a process. */
import assert from "node:assert/strict";
import { freePorts } from "../../local/mod.ts";
import { eventually } from "../../../e2e/support/processes.ts";
import { getLead, type GraphAnswer, graphOrigin } from "../../../supabase/functions/recruiting/fetches/graph.ts";
import { MIB } from "../../../supabase/functions/_shared/units.ts";
import { GRAPH_APP, GRAPH_TOKEN } from "./app.ts";
import { GraphDouble, type GraphFault, type GraphLead } from "./double.ts";

const double = await GraphDouble.start(freePorts(1)[0]!);
const before = Deno.env.get("META_GRAPH_BASE_URL");
Deno.env.set("META_GRAPH_BASE_URL", double.url);
Deno.test.afterAll(async () => {
  if (before === undefined) Deno.env.delete("META_GRAPH_BASE_URL");
  else Deno.env.set("META_GRAPH_BASE_URL", before);
  await double.stop();
});

const LEAD: GraphLead = {
  id: "1234567890123456789",
  form_id: "330000000000002",
  created_time: "2026-07-29T08:00:00+0000",
  campaign_id: "120210000000000002",
  vehicle: "nobody asks for it",
  field_data: [{ name: "first_name", values: ["Lee"] }],
};
const NOTHING = { ok: false, status: null, code: null, subcode: null, retryAfterSeconds: null } as const;

const fetchLead = (id = LEAD.id, secrets = [GRAPH_APP.secret]) => getLead(id, GRAPH_TOKEN, secrets);

function start(...faults: GraphFault[]): void {
  double.reset();
  double.addLead(LEAD);
  for (const fault of faults) double.fail(fault);
}

Deno.test("a lead comes with the fields that were asked for, and the token stands in no address", async () => {
  start();
  const { vehicle: _, ...asked } = LEAD;
  assert.deepEqual(await fetchLead(), { ok: true, body: asked, appSecret: GRAPH_APP.secret });
  assert.deepEqual(double.requests().map(({ path, proof }) => [path, proof]), [[LEAD.id, true]]);
  assert.equal(JSON.stringify(double.requests()).includes(GRAPH_TOKEN), false);
});

Deno.test("the next app secret is tried where one proves nothing, and none where an error is about the lead", async () => {
  start();
  const answer = await fetchLead(LEAD.id, ["not entered at Meta yet", GRAPH_APP.secret, "older"]);
  assert(answer.ok);
  assert.equal(answer.appSecret, GRAPH_APP.secret);
  assert.deepEqual(await fetchLead(LEAD.id, ["one", "two"]), refused(400, 100));
  assert((await fetchLead(LEAD.id, [])).ok);
  assert.deepEqual(await fetchLead("77", [GRAPH_APP.secret, "older"]), refused(400, 100, { subcode: 33 }));
  assert.deepEqual(double.requests().map(({ proof }) => proof), [false, true, false, false, null, true]);
});

const refused = (status: number, code: number | null, more: object = {}) =>
  ({ ...NOTHING, status, code, ...more, reason: "refused" }) as GraphAnswer;

Deno.test("what Meta answers is told as it is, and the next request is as usual", async () => {
  const cases: [string, GraphFault, GraphAnswer][] = [
    ["an expired token", { code: 190, subcode: 463 }, refused(400, 190, { subcode: 463 })],
    ["a missing permission", { code: 10 }, refused(403, 10)],
    ["a lead that is gone", { code: 100, subcode: 33 }, refused(400, 100, { subcode: 33 })],
    ["too many calls", { code: 80005, wait_minutes: 19 }, refused(400, 80005, { retryAfterSeconds: 1_140 })],
    ["too many calls, with 429", { status: 429, wait_minutes: 1 }, refused(429, null, { retryAfterSeconds: 60 })],
    ["an error of Meta's", { code: 2 }, refused(503, 2)],
    ["an error without words", { status: 500 }, refused(500, null)],
    ["a page of a proxy", { status: 502, text: "<html>" }, { ...NOTHING, status: 502, reason: "no_json" }],
    ["a list", { text: "[]" }, { ...NOTHING, status: 200, reason: "no_json" }],
    ["2 MB", { bytes: 2 * MIB }, { ...NOTHING, status: 200, reason: "too_large" }],
  ];
  for (const [what, fault, expected] of cases) {
    start(fault);
    assert.deepEqual(await fetchLead(), expected, what);
    assert((await fetchLead()).ok, what);
  }
});

Deno.test("a connection that closes is lost", async () => {
  // Deno sends a request again by itself.
  start({ drop: true, times: -1 });
  assert.deepEqual(await fetchLead(), { ...NOTHING, reason: "lost" });
  double.clearFaults();
  assert((await fetchLead()).ok);
});

Deno.test("a redirect is not followed, so the token goes nowhere else", async () => {
  const other = await GraphDouble.start(freePorts(1)[0]!);
  start({ location: `${other.url}/v24.0/${LEAD.id}` });
  assert.deepEqual(await fetchLead(), { ...NOTHING, status: 302, reason: "redirect" });
  assert.deepEqual(other.requests(), []);
  await other.stop();
});

Deno.test("an answer that takes too long is lost, and a request ends when its caller ends it", async () => {
  const { timeout } = AbortSignal;
  const asked: number[] = [];
  AbortSignal.timeout = (milliseconds) => {
    asked.push(milliseconds);
    return timeout.call(AbortSignal, milliseconds / 100);
  };
  try {
    start({ delay_ms: 60_000, times: 2 });
    assert.deepEqual(await fetchLead(), { ...NOTHING, reason: "lost" });
    assert.deepEqual(asked, [10_000]);
  } finally {
    AbortSignal.timeout = timeout;
  }
  const answer = await getLead(LEAD.id, GRAPH_TOKEN, [GRAPH_APP.secret], AbortSignal.timeout(50));
  assert.deepEqual(answer, { ...NOTHING, reason: "lost" });
  await double.stop();
  await double.start();
});

Deno.test("nothing was sent where nobody listens", async () => {
  await double.stop();
  assert.deepEqual(await fetchLead(), { ...NOTHING, reason: "no_connection" });
  await double.start();
});

Deno.test("nothing is asked for what is no id", async () => {
  start();
  for (const id of ["", "12a", "../me", "1/../me", "1?fields=id", "-1", "1".repeat(33), "１２"]) {
    assert.deepEqual(await fetchLead(id), { ...NOTHING, reason: "id" });
  }
  assert.deepEqual(double.requests(), []);
});

Deno.test("META_GRAPH_BASE_URL is an origin with https, or one on this machine", async () => {
  const origins = {
    "": "https://graph.facebook.com",
    " https://graph.example.com/ ": "https://graph.example.com",
    "http://localhost:1": "http://localhost:1",
  };
  const wrong = [
    "http://graph.facebook.com",
    "https://user@graph.facebook.com",
    "https://graph.facebook.com/v24.0",
    "graph",
  ];
  try {
    for (const [value, origin] of Object.entries(origins)) {
      Deno.env.set("META_GRAPH_BASE_URL", value);
      assert.equal(graphOrigin(), origin);
    }
    for (const value of wrong) {
      Deno.env.set("META_GRAPH_BASE_URL", value);
      assert.throws(graphOrigin, { name: "ConfigurationError" }, value);
      assert.deepEqual(await fetchLead(), { ...NOTHING, reason: "configuration" });
    }
  } finally {
    Deno.env.set("META_GRAPH_BASE_URL", double.url);
  }
});

Deno.test("a token and a person stand in no log line and in no error", async () => {
  start({ code: 190 }, { bytes: 2 * MIB }, { text: "{" }, { drop: true, times: -1 });
  const { log, error, warn } = console;
  const written: unknown[] = [];
  Object.assign(console, { log: keep, error: keep, warn: keep });
  function keep(...words: unknown[]) {
    written.push(words);
  }
  try {
    for (let i = 0; i < 4; i++) written.push(await fetchLead());
  } finally {
    Object.assign(console, { log, error, warn });
  }
  assert.equal(written.length, 4);
  assert.doesNotMatch(JSON.stringify(written), new RegExp(`${GRAPH_TOKEN}|${GRAPH_APP.secret}|Lee|${LEAD.id}`));
});

Deno.test("the double is a process, which is told over HTTP what to have and how to fail", async () => {
  const [port] = freePorts(1);
  const main = new URL("./main.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", main, "--port", String(port)],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  const tell = (asked: Record<string, unknown[]>) =>
    fetch(`${url}/double`, { method: "POST", body: JSON.stringify(asked) }).then(async (response) => {
      await response.body?.cancel();
      return response.status;
    });
  Deno.env.set("META_GRAPH_BASE_URL", url);
  try {
    await eventually(20, async () => assert.equal(await tell({ addLead: [LEAD] }), 200));
    assert.equal(await tell({ fail: [{ code: 80005, wait_minutes: 2 }] }), 200);
    assert.deepEqual(await fetchLead(), refused(400, 80005, { retryAfterSeconds: 120 }));
    assert((await fetchLead()).ok);
    const requests = await (await fetch(`${url}/double/requests`)).json();
    assert.deepEqual(requests.map(({ path }: { path: string }) => path), [LEAD.id, LEAD.id]);
    assert.equal(await tell({ nothing: [] }), 404);
  } finally {
    Deno.env.set("META_GRAPH_BASE_URL", double.url);
    child.kill();
    await child.status;
  }
});
