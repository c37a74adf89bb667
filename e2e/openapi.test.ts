import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { OPENAPI_FILE, openApiText } from "../local/openapi.ts";
import { send } from "./client.ts";

Deno.test("docs/openapi.json is what the schemas say (npm run openapi writes it)", () => {
  assert.equal(Deno.readTextFileSync(OPENAPI_FILE), openApiText());
});

Deno.test("docs/openapi.json is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(openApiText()));
  assert(valid, JSON.stringify(errors));
  assert.equal(validator.version, "3.1");
});

Deno.test("each function serves its own routes' part", async () => {
  const { paths } = JSON.parse(openApiText());
  for (const slug of ["recruiting", "api"]) {
    const { status, body } = await send(`/${slug}/openapi.json`, { method: "GET" });
    assert.equal(status, 200);
    for (const path of Object.keys(body.paths)) assert.deepEqual(body.paths[path], paths[path]);
    assert.deepEqual(
      Object.keys(body.paths),
      Object.keys(paths).filter((path) => path.startsWith(`/${slug}/`)),
    );
  }
});

Deno.test("the document is read with GET alone", async () => {
  const { status, headers } = await send("/api/openapi.json", { body: {} });
  assert.equal(status, 405);
  assert.equal(headers.get("allow"), "GET");
});
