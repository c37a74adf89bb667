import assert from "node:assert/strict";
import { createServer } from "node:http";
import { callDatabase, mayHaveRun, serviceKey } from "./database.ts";
import { ApiError } from "./errors.ts";

/** A response of the PostgREST double. */
type Step = "drop" | { status: number; body: object | string };

const refused = { status: 401, body: { code: "PT401", message: "invalid API key" } };
const broken = { status: 400, body: { code: "23514", message: "violates a check" } };
const away = { status: 503, body: { code: "PGRST001", message: "no database" } };
const succeeded = { status: 200, body: { vendor_id: "v", parser: null, parser_config: {} } };

let steps: Step[] = [];
const server = createServer((request, response) => {
  const step = steps.shift() ?? "drop";
  if (step === "drop") {
    // The response is truncated: the client cannot tell whether its call has run.
    response.writeHead(200, { "content-length": 1_000 });
    response.write("{", () => request.socket.destroy());
    return;
  }
  response.writeHead(step.status, { "content-type": "application/json" });
  response.end(typeof step.body === "string" ? step.body : JSON.stringify(step.body));
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
  const error = await callDatabase("identify_vendor", { key_hash: "" }, { retryWithin: 1_000 })
    .then(() => assert.fail("the call succeeded"), (error) => error);
  assert(error instanceof ApiError);
  return error;
}

Deno.test("a call whose response is lost is retried", async () => {
  steps = ["drop", away, succeeded];
  const row = await callDatabase("identify_vendor", { key_hash: "" }, { retryWithin: 2_000 });
  assert.deepEqual(row, succeeded.body);
});

Deno.test("a call without retryWithin is not retried", async () => {
  steps = ["drop", succeeded];
  await assert.rejects(callDatabase("identify_vendor", { key_hash: "" }), { code: "INTERNAL_ERROR" });
  assert.equal(steps.length, 1);
});

Deno.test("a call without a connection has not run, and is retried even without retryWithin", async () => {
  for (const code of ["PGRST000", "PGRST002", "PGRST003", "53300"]) {
    steps = [{ status: 503, body: { code, message: "no connection" } }, succeeded];
    assert.deepEqual(await callDatabase("identify_vendor", { key_hash: "" }), succeeded.body);
  }
  steps = [{ status: 504, body: { code: "PGRST003", message: "no connection" } }, succeeded];
  await assert.rejects(callDatabase("identify_vendor", { key_hash: "" }, { timeout: 50 }));
  assert.equal(steps.length, 1, "within its time limit");
});

Deno.test("a call that the database refuses is not retried and has not run", async () => {
  const error = await failure(broken, succeeded);
  assert.equal(error.code, "INTERNAL_ERROR");
  assert.equal(mayHaveRun(error), false);
  assert.equal(steps.length, 1);
  assert.equal(mayHaveRun(await failure(refused)), false);
});

Deno.test("a call whose connection breaks while it commits may have run, and is retried", async () => {
  // PostgREST 12's response when Postgres is killed during a COMMIT.
  const broken = { status: 400, body: { code: "", message: "", details: null, hint: null } };
  steps = [broken, succeeded];
  const row = await callDatabase("identify_vendor", { key_hash: "" }, { retryWithin: 2_000 });
  assert.deepEqual(row, succeeded.body);
  assert.equal(mayHaveRun(await failure(broken, refused)), true);
});

Deno.test("after a lost response a call may have run, whatever the next attempt returns", async () => {
  for (const last of [refused, broken]) assert.equal(mayHaveRun(await failure("drop", last)), true);
  const error = await failure("drop", refused);
  assert.equal(error.code, "UNAUTHORIZED");
  assert.equal(error.message, "invalid API key");
});

Deno.test("a call that the gateway refuses because of its key is not retried and has not run", async () => {
  const refusals = [
    { status: 401, body: { message: "Invalid API key", hint: "Double check your API key." } },
    { status: 401, body: "Unauthorized" },
    { status: 403, body: "<html>forbidden</html>" },
  ];
  for (const refusal of refusals) {
    const error = await failure(refusal, succeeded);
    assert.equal(error.code, "INTERNAL_ERROR");
    assert.equal(mayHaveRun(error), false);
    assert.equal((error.cause as { code?: string }).code, `HTTP ${refusal.status}`);
    assert.equal(steps.length, 1);
  }
});

Deno.test("a call is retried when the gateway cannot reach the database or is overloaded", async () => {
  for (const status of [429, 502, 503, 504]) {
    steps = [{ status, body: "<html>try later</html>" }, succeeded];
    const row = await callDatabase("identify_vendor", { key_hash: "" }, { retryWithin: 2_000 });
    assert.deepEqual(row, succeeded.body);
  }
});

const NEWER = '{"default": "sb_secret_new"}';
const MOBILE = '{"mobile": "sb_secret_mobile"}';
const JWT = "eyJ.old.jwt";
/** The newer keys and the JWT, if set, and the key that is used. */
const SERVICE_KEYS: Record<string, [newer: string | null, jwt: string | null, taken: string]> = {
  "the newer key, also beside a JWT that may have been switched off": [NEWER, JWT, "sb_secret_new"],
  "of several newer keys the default one": [
    '{"mobile": "sb_secret_mobile", "default": "sb_secret_new"}',
    null,
    "sb_secret_new",
  ],
  "any newer key where none is the default": [MOBILE, JWT, "sb_secret_mobile"],
  "the JWT where there is no newer key": [null, JWT, JWT],
  "the JWT where the newer keys cannot be read": ["sb_secret_new", JWT, JWT],
};

Deno.test("the functions call the database with the newest key that there is", () => {
  for (const [newer, jwt, taken] of Object.values(SERVICE_KEYS)) {
    const variables = {
      ...(newer !== null && { SUPABASE_SECRET_KEYS: newer }),
      ...(jwt !== null && { SUPABASE_SERVICE_ROLE_KEY: jwt }),
    };
    withVariables(variables, () => assert.equal(serviceKey(), taken));
  }
});

Deno.test("without any key, the error names the variable to set", () => {
  withVariables({}, () => assert.throws(serviceKey, /SUPABASE_SECRET_KEYS/));
});

function withVariables(variables: Record<string, string>, run: () => void): void {
  const names = ["SUPABASE_SECRET_KEYS", "SUPABASE_SERVICE_ROLE_KEY"];
  const before = names.map((name) => [name, Deno.env.get(name)] as const);
  const { error } = console;
  console.error = () => {};
  try {
    for (const name of names) Deno.env.delete(name);
    for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
    run();
  } finally {
    console.error = error;
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
}
