import assert from "node:assert/strict";
import { toStackInfo } from "./docker_stack_info.ts";

const STATUS = {
  API_URL: "http://127.0.0.1:54321",
  FUNCTIONS_URL: "http://127.0.0.1:54321/functions/v1",
  DB_URL: "postgresql://postgres:postgres@127.0.0.1:54322/postgres",
  ANON_KEY: "anon",
  SERVICE_ROLE_KEY: "service",
  PUBLISHABLE_KEY: "sb_publishable_x",
  SECRET_KEY: "sb_secret_x",
  JWT_SECRET: "jwt",
  STUDIO_URL: "http://127.0.0.1:54323",
};
const ENV = {
  LEADS_IMPORT_API_KEY: "first, second",
  TWILIO_AUTH_TOKEN: "token",
  TEXTING_WORKER_KEY: "worker key",
  PUBLIC_FUNCTIONS_URL: "http://127.0.0.1:54321/functions/v1",
};

Deno.test("what supabase status prints becomes the description of a stack", () => {
  assert.deepEqual(toStackInfo(STATUS, ENV), {
    api_url: "http://127.0.0.1:54321",
    functions_url: "http://127.0.0.1:54321/functions/v1",
    db_url: "postgresql://postgres:postgres@127.0.0.1:54322/postgres",
    anon_key: "anon",
    service_role_key: "service",
    publishable_key: "sb_publishable_x",
    secret_key: "sb_secret_x",
    jwt_secret: "jwt",
    leads_import_api_key: "first",
    twilio_auth_token: "token",
    texting_worker_key: "worker key",
  });
});

for (
  const [what, status, env, message] of [
    ["a key", { ...STATUS, SECRET_KEY: "" }, ENV, /no SECRET_KEY in supabase status/],
    ["a secret", STATUS, { ...ENV, TWILIO_AUTH_TOKEN: undefined }, /no TWILIO_AUTH_TOKEN in/],
    [
      "the public address",
      STATUS,
      { ...ENV, PUBLIC_FUNCTIONS_URL: "" },
      /Set PUBLIC_FUNCTIONS_URL/,
    ],
  ] as const
) {
  Deno.test(`${what} that is missing is named`, () => {
    assert.throws(() => toStackInfo(status, env), message);
  });
}
