import assert from "node:assert/strict";
import { createServer } from "node:http";
import { callDatabase, mayHaveRun } from "./database.ts";
import { ApiError } from "./errors.ts";

/** What the stand-in for PostgREST does with one request. */
type Step = "drop" | { status: number; body: object };

const refused = { status: 401, body: { code: "PT401", message: "invalid API key" } };
const broken = { status: 400, body: { code: "23514", message: "violates a check" } };
const away = { status: 503, body: { code: "PGRST001", message: "no database" } };
const answered = { status: 200, body: { vendor_id: "v", parser: null, parser_config: {} } };

let steps: Step[] = [];
const server = createServer((request, response) => {
  const step = steps.shift() ?? "drop";
  if (step === "drop") {
    // An answer that breaks off: the caller cannot tell whether its call was carried out.
    response.writeHead(200, { "content-length": 1_000 });
    response.write("{", () => request.socket.destroy());
    return;
  }
  response.writeHead(step.status, { "content-type": "application/json" });
  response.end(JSON.stringify(step.body));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as { port: number };
Deno.env.set("SUPABASE_URL", `http://127.0.0.1:${port}`);
Deno.env.set("SUPABASE_SERVICE_ROLE_KEY", "key");
Deno.test.afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function failure(...of: Step[]): Promise<ApiError> {
  steps = of;
  const error = await callDatabase("authenticate_vendor", { key_hash: "" }, { retryWithin: 1_000 })
    .then(() => assert.fail("the call succeeded"), (error) => error);
  assert(error instanceof ApiError);
  return error;
}

Deno.test("a lost answer is asked for again", async () => {
  steps = ["drop", away, answered];
  const row = await callDatabase("authenticate_vendor", { key_hash: "" }, { retryWithin: 2_000 });
  assert.deepEqual(row, answered.body);
});

Deno.test("a call is not repeated unless it says that it may be", async () => {
  steps = ["drop", answered];
  await assert.rejects(callDatabase("authenticate_vendor", { key_hash: "" }), {
    code: "INTERNAL_ERROR",
  });
  assert.equal(steps.length, 1);
});

Deno.test("what the database refuses is over, and has not run", async () => {
  const error = await failure(broken, answered);
  assert.equal(error.code, "INTERNAL_ERROR");
  assert.equal(mayHaveRun(error), false);
  assert.equal(steps.length, 1);
  assert.equal(mayHaveRun(await failure(refused)), false);
});

Deno.test("after a lost answer a call may have run, whatever the next attempt says", async () => {
  for (const last of [refused, broken]) assert.equal(mayHaveRun(await failure("drop", last)), true);
  const error = await failure("drop", refused);
  assert.equal(error.code, "UNAUTHORIZED");
  assert.equal(error.message, "invalid API key");
});
