import assert from "node:assert/strict";
import { createApp, isDryRun } from "./app.ts";
import { readJson } from "./body/json.ts";
import { ApiError } from "./errors.ts";
import { logError } from "./log.ts";
import { RejectedDeliveries } from "./rejected_deliveries.ts";

const ok = () => Promise.resolve(Response.json({ ok: true }));
const app = createApp("/fn", {
  "/ok": { POST: ok },
  "/read": { GET: ok },
  "/things/:name": { POST: ok },
  "/both": { POST: ok, GET: ok },
  "/refused": {
    POST() {
      const details = [{ field: "name", message: "missing" }];
      throw new ApiError("BAD_REQUEST", "no name", { details });
    },
  },
  "/slow": { POST: async ({ body }) => Response.json(await readJson(body, 100, { within: 20 })) },
  "/broken": {
    POST() {
      throw new Error("secret of the inside");
    },
  },
  "/step": {
    POST({ requestId }) {
      logError({ request_id: requestId, event: "step_failed" });
      return ok();
    },
  },
});

async function send(path: string, init: RequestInit = { method: "POST" }) {
  const response = await app.fetch(new Request(`http://localhost${path}`, init));
  const text = await response.text();
  return { response, body: text === "" ? null : JSON.parse(text) };
}

Deno.test("a valid x-request-id is returned, an invalid one is replaced, in the header and the error body", async () => {
  const own = await send("/fn/ok", { method: "POST", headers: { "x-request-id": "Abc-1._" } });
  assert.equal(own.response.headers.get("x-request-id"), "Abc-1._");
  for (const bad of ["", "a b", "x".repeat(129), "é"]) {
    const { response, body } = await send("/fn/refused", { method: "POST", headers: { "x-request-id": bad } });
    const id = response.headers.get("x-request-id");
    assert.match(id ?? "", /^[0-9a-f-]{36}$/);
    assert.equal(body.request_id, id);
  }
});

Deno.test("an error response has the error shape, with details", async () => {
  const { response, body } = await send("/fn/refused");
  assert.equal(response.status, 400);
  assert.deepEqual(body.error, {
    code: "BAD_REQUEST",
    message: "no name",
    details: [{ field: "name", message: "missing" }],
  });
});

Deno.test("a body that does not arrive in time is 408 and REQUEST_TIMEOUT", async () => {
  const stalled = new ReadableStream({
    start: (controller) => void setTimeout(() => controller.error(new Error("gone")), 100),
  });
  const { response, body } = await send("/fn/slow", { method: "POST", body: stalled });
  assert.deepEqual([response.status, body.error.code], [408, "REQUEST_TIMEOUT"]);
});

Deno.test("an unexpected error is INTERNAL_ERROR, and the response does not reveal its cause", async () => {
  const { response, body } = await send("/fn/broken");
  assert.equal(response.status, 500);
  assert.equal(body.error.code, "INTERNAL_ERROR");
  assert(!JSON.stringify(body).includes("secret"));
});

Deno.test("an unknown path is NOT_FOUND", async () => {
  for (const path of ["/fn", "/fn/nothing", "/fn/ok/more", "/other/ok"]) {
    const { response, body } = await send(path);
    assert.deepEqual([response.status, body.error.code], [404, "NOT_FOUND"], path);
    assert.equal(response.headers.get("x-request-id"), body.request_id);
  }
});

Deno.test("an unsupported method is METHOD_NOT_ALLOWED with Allow", async () => {
  for (
    const [path, method, allow, message] of [
      ...["GET", "PUT", "PATCH", "DELETE", "OPTIONS"].flatMap((method) =>
        ["/fn/ok", "/fn/ok/", "/fn/things/x"].map((path) => [path, method, "POST", "POST"] as const)
      ),
      ["/fn/both", "PUT", "POST, GET, HEAD", "POST or GET or HEAD"],
      ["/fn/read", "POST", "GET, HEAD", "GET or HEAD"],
    ] as const
  ) {
    const { response, body } = await send(path, { method });
    assert.deepEqual([response.status, body.error.code], [405, "METHOD_NOT_ALLOWED"], method);
    assert.equal(response.headers.get("allow"), allow);
    assert.equal(body.error.message, `this path takes ${message}`);
    assert.equal(response.headers.get("x-request-id"), body.request_id);
  }
});

Deno.test("HEAD gets the headers of GET, without the body", async () => {
  const { response, body } = await send("/fn/read", { method: "HEAD" });
  assert.deepEqual([response.status, body], [200, null]);
  assert.match(response.headers.get("content-type")!, /json/);
  assert(response.headers.get("x-request-id"));
  const post = await send("/fn/ok", { method: "HEAD" });
  assert.deepEqual([post.response.status, post.body], [405, null]);
  assert.equal(post.response.headers.get("allow"), "POST");
});

Deno.test("one log line per request, with the route's pattern and without an unknown path", async () => {
  const lines: string[] = [];
  const log = console.log;
  console.log = (line: string) => lines.push(line);
  try {
    await send("/fn/ok");
    await send("/fn/ok", { method: "PUT" });
    await send("/fn/things/john.doe@example.com");
    await send("/fn/things/john.doe@example.com", { method: "PUT" });
    await send("/fn/john.doe@example.com");
  } finally {
    console.log = log;
  }
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ method, route, status }) => [method, route, status]),
    [
      ["POST", "/fn/ok", 200],
      ["PUT", "/fn/ok", 405],
      ["POST", "/fn/things/:name", 200],
      ["PUT", "/fn/things/:name", 405],
      ["POST", null, 404],
    ],
  );
  assert.equal(typeof JSON.parse(lines[0]!).duration_ms, "number");
  assert(!lines.join("").includes("john"));
});

Deno.test("each log line of a request, error lines included, has the caller's trace id, and no other request's", async () => {
  const { log, error } = console;
  const lines: string[] = [];
  console.log = console.error = (line: string) => lines.push(line);
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  try {
    const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01`, "x-request-id": "traced" };
    await Promise.all([
      send("/fn/broken", { method: "POST", headers }),
      send("/fn/step", { method: "POST", headers: { ...headers, "x-request-id": "steps" } }),
      send("/fn/broken", { method: "POST", headers: { "x-request-id": "other" } }),
    ]);
    await send("/fn/broken", { method: "POST", headers: { "x-request-id": "traced" } });
  } finally {
    Object.assign(console, { log, error });
  }
  const traces = lines.map((line) => JSON.parse(line)).map(({ request_id, level, trace_id }) =>
    [request_id, level, trace_id].join(" ")
  );
  assert.deepEqual(
    traces.sort(),
    [
      ...["error", "info"].flatMap((level) => [`other ${level} `, `traced ${level} `]),
      ...["error", "info"].flatMap((level) => [`traced ${level} ${trace}`, `steps ${level} ${trace}`]),
    ].sort(),
  );
});

Deno.test("only a traceparent of the standard's form has a trace id", async () => {
  const { log } = console;
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const cases: [traceparent: string, traceId: string | undefined][] = [
    [`cc-${trace}-00f067aa0ba902b7-01-what-the-future-will-be-like`, trace],
    [`ff-${trace}-00f067aa0ba902b7-01`, undefined],
    [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`, undefined],
    [`00-${trace}-${"0".repeat(16)}-01`, undefined],
    [`00-${trace.toUpperCase()}-00f067aa0ba902b7-01`, undefined],
    [`00-${trace}-00f067aa0ba902b7-011`, undefined],
    [trace, undefined],
  ];
  try {
    for (const [traceparent, traceId] of cases) {
      let line = "";
      console.log = (text: string) => void (line = text);
      await send("/fn/ok", { method: "POST", headers: { traceparent } });
      assert.equal(JSON.parse(line).trace_id, traceId, traceparent);
    }
  } finally {
    console.log = log;
  }
});

Deno.test("a dry run has exactly this name and value, and any other spelling is refused", () => {
  const read = (query: string) =>
    isDryRun({
      request: new Request(`http://localhost/?${query}`),
      rejected: new RejectedDeliveries({ request_id: "", route: "" }),
    });
  assert.equal(read("dry_run=true"), true);
  for (const query of ["", "dry_run=false", "other=true"]) assert.equal(read(query), false);
  for (
    const wrong of [
      ...["dryRun=true", "dry-run=true", "DRY_RUN=true", "dryrun=false", "Dry_Run", "d-r-y-run=1", "dry_run=yes"],
      ...["dry_run=", "dry_run=TRUE", "dry_run=false&dry_run=true", "dry_run=true&dryRun=true"],
    ]
  ) assert.throws(() => read(wrong), { code: "BAD_REQUEST", message: /dry_run/ }, wrong);
});
