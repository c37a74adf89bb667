import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { OPENAPI_FILES, openApiText } from "../scripts/openapi/main.ts";
import { send } from "./client.ts";

for (const file of OPENAPI_FILES) {
  Deno.test(`${file.split("/").slice(-2).join("/")} is what the schemas say (npm run openapi writes it)`, () => {
    assert.equal(Deno.readTextFileSync(file), openApiText());
  });
}

Deno.test("docs/openapi.json is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(openApiText()));
  assert(valid, JSON.stringify(errors));
  assert.equal(validator.version, "3.1");
});

Deno.test("each function serves the document of all six routes", async () => {
  for (const slug of ["recruiting", "api"]) {
    const { status, body } = await send(`/${slug}/openapi.json`, { method: "GET" });
    assert.equal(status, 200);
    assert.deepEqual(body, JSON.parse(openApiText()));
    assert.equal(Object.keys(body.paths).length, 6);
  }
});

Deno.test("the document is read with GET alone", async () => {
  const { status, headers } = await send("/api/openapi.json", { body: {} });
  assert.equal(status, 405);
  assert.equal(headers.get("allow"), "GET");
});
