import assert from "node:assert/strict";
import { ApiError } from "../_shared/errors.ts";
import { requireProjectCredentials } from "./credentials.ts";

const TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1In0.c2lnbmF0dXJl";

/** A double of the auth server. It responds with `authStatus` and records the tokens that it receives. */
let authStatus = 200;
const asked: (string | null)[] = [];
const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
  asked.push(request.headers.get("authorization"));
  return Response.json(authStatus === 200 ? { id: "u" } : { code: authStatus, msg: "no" }, { status: authStatus });
});
Deno.test.afterAll(() => server.shutdown());

const ENV: Record<string, string> = {
  SUPABASE_URL: `http://127.0.0.1:${server.addr.port}`,
  SUPABASE_ANON_KEY: "anon",
  SUPABASE_PUBLISHABLE_KEY: "sb_publishable_1",
  SUPABASE_PUBLISHABLE_KEYS: '{"default": "sb_publishable_2", "mobile": "sb_publishable_3"}',
  SUPABASE_SERVICE_ROLE_KEY: "service",
  SUPABASE_SECRET_KEYS: '{"default": "sb_secret_1"}',
};

/** Returns `accepted`, or the code of the error. */
async function check(
  headers: Record<string, string>,
  { query = "", env = ENV }: { query?: string; env?: Record<string, string> } = {},
): Promise<string> {
  for (const name of Object.keys(ENV)) Deno.env.delete(name);
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
  try {
    await requireProjectCredentials(new Request(`http://internal/api${query}`, { headers }));
    return "accepted";
  } catch (error) {
    assert(error instanceof ApiError);
    return error.code;
  } finally {
    for (const name of Object.keys(ENV)) Deno.env.delete(name);
  }
}

Deno.test("each of the project's keys is accepted in each place", async () => {
  const publishable = ["anon", "sb_publishable_1", "sb_publishable_2", "sb_publishable_3"];
  for (const key of [...publishable, "service", "sb_secret_1"]) {
    assert.equal(await check({ apikey: key }), "accepted");
    assert.equal(await check({ authorization: `Bearer ${key}` }), "accepted");
    assert.equal(await check({ authorization: `bearer  ${key} ` }), "accepted");
    assert.equal(await check({}, { query: `?apikey=${key}` }), "accepted");
  }
});

Deno.test("a wrong, empty or missing key is UNAUTHORIZED", async () => {
  for (const key of ["", "x", "ano", "anonn", "undefined", "default"]) {
    assert.equal(await check({ apikey: key }), "UNAUTHORIZED");
    assert.equal(await check({ authorization: `Bearer ${key}` }), "UNAUTHORIZED");
    assert.equal(await check({}, { query: `?apikey=${key}` }), "UNAUTHORIZED");
  }
  assert.equal(await check({ authorization: "anon" }), "UNAUTHORIZED");
  assert.equal(await check({}), "UNAUTHORIZED");
});

Deno.test("if no key is set, every key is refused", async () => {
  const blank = Object.fromEntries(Object.keys(ENV).map((name) => [name, ""]));
  for (const env of [{}, blank]) {
    for (const apikey of ["", "undefined"]) {
      assert.equal(await check({ apikey }, { env }), "UNAUTHORIZED");
    }
  }
});

Deno.test("a user's token is accepted if the auth server accepts it", async () => {
  authStatus = 200;
  asked.length = 0;
  assert.equal(await check({ authorization: `Bearer ${TOKEN}` }), "accepted");
  assert.deepEqual(asked, [`Bearer ${TOKEN}`]);
  for (authStatus of [400, 401, 403, 404]) {
    assert.equal(await check({ authorization: `Bearer ${TOKEN}` }), "UNAUTHORIZED");
  }
});

Deno.test("the auth server is queried only for a Bearer token in the form of a JWT", async () => {
  authStatus = 200;
  asked.length = 0;
  await check({ authorization: "Bearer anon" });
  await check({ authorization: `Bearer ${TOKEN}`, apikey: "anon" });
  for (const wrong of ["x", "a.b", "a.b.c.d", "a b.c.d", `${TOKEN}=`]) {
    assert.equal(await check({ authorization: `Bearer ${wrong}` }), "UNAUTHORIZED");
  }
  assert.equal(await check({ apikey: TOKEN }, { query: `?apikey=${TOKEN}` }), "UNAUTHORIZED");
  assert.deepEqual(asked, []);
});

Deno.test("a token that cannot be verified is INTERNAL_ERROR, and a key still works", async () => {
  for (authStatus of [429, 500, 502, 503, 504]) {
    assert.equal(await check({ authorization: `Bearer ${TOKEN}` }), "INTERNAL_ERROR");
  }
  await server.shutdown();
  assert.equal(await check({ authorization: `Bearer ${TOKEN}` }), "INTERNAL_ERROR");
  assert.equal(await check({ apikey: "anon" }), "accepted");
});
