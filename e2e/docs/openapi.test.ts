import assert from "node:assert/strict";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { FUNCTION_NAMES } from "../../dev/scripts/edge_functions.ts";
import { DOCUMENTED, OPENAPI_FILE, openApiDocument, openApiText, OPERATIONS } from "../../dev/scripts/openapi.ts";
import { BATCH_BOUNDS, JSON_BOUNDS } from "../../supabase/functions/_shared/json.ts";
import { send, stack } from "../support/client.ts";
import { OF_THE_DESK } from "../support/documented.ts";
import { sendSigned } from "../support/sms.ts";
import { createWebhook, deliver } from "../support/webhooks.ts";

const published = JSON.parse(openApiText());

Deno.test("openapi.json is what the schemas say (npm run openapi writes it)", () => {
  assert.equal(Deno.readTextFileSync(OPENAPI_FILE), openApiText(), "run npm run openapi");
});

Deno.test("openapi.json is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(openApiText()));
  assert(valid, JSON.stringify(errors));
  assert.equal(validator.version, "3.1");
});

Deno.test("every route of the functions is documented but those of the desk", () => {
  const others = OPERATIONS.filter(({ endpoint }) => endpoint === undefined);
  assert.deepEqual(
    others.map(({ path }) => path),
    OF_THE_DESK,
    "describe the others as an Endpoint beside the handler",
  );
});

Deno.test("every operation has an id of its own", () => {
  assert.deepEqual(DOCUMENTED.map(({ id }) => id), [...new Set(DOCUMENTED.map(({ id }) => id))]);
});

Deno.test("each function serves the document of all routes", async () => {
  for (const name of FUNCTION_NAMES) {
    const { status, body } = await send(`/${name}/openapi.json`, { method: "GET" });
    assert.equal(status, 200);
    assert.deepEqual(body, published);
  }
});

Deno.test("interface.md: no schema forbids fields that it does not name", () => {
  assert(!JSON.stringify(published).includes('"additionalProperties":false'));
  assert(JSON.stringify(openApiDocument({ strict: true })).includes('"additionalProperties":false'));
});

Deno.test("openapi.json names how much a body may hold besides its files", () => {
  const { description } = published.components.responses.PAYLOAD_TOO_LARGE;
  for (const { textBytes } of [JSON_BOUNDS, BATCH_BOUNDS]) {
    assert(description.includes(`${textBytes / 2 ** 20} MiB`), `${textBytes} bytes`);
  }
});

Deno.test("every example fits its schema", () => {
  const strict = JSON.parse(JSON.stringify(openApiDocument({ strict: true })));
  const ajv = ajvFormats.default(new Ajv2020({ strict: false })).addSchema(strict, "openapi");
  const contents = [
    ...DOCUMENTED.flatMap(({ path, method }) => {
      const { requestBody = {}, responses } = strict.paths[path][method];
      return [requestBody, ...Object.values(responses)];
    }),
    ...Object.values(strict.components.responses),
  ].flatMap(({ content }) => Object.values(content ?? {})) as {
    schema: { $ref: string };
    examples: Record<string, { value: unknown }>;
  }[];
  assert(contents.length > DOCUMENTED.length * 2);
  for (const { schema, examples } of contents) {
    const validate = ajv.getSchema(`openapi${schema.$ref}`)!;
    assert(Object.keys(examples).length > 0, `${schema.$ref} has no example`);
    for (const [name, { value }] of Object.entries(examples)) {
      assert(validate(value), `${schema.$ref} ${name}: ${JSON.stringify(validate.errors)}`);
    }
  }
});

const KEYS: Record<string, Record<string, string>> = {
  vendorKey: {
    authorization: `Bearer ${stack.vendors.find(({ parser }) => parser === "generic")!.api_key}`,
  },
  importKey: { "x-api-key": stack.leads_import_api_key },
  projectKey: { apikey: stack.publishable_key },
};

Deno.test("every example of a request works on a stack with the seed", async () => {
  for (const { path, body, security, responses } of DOCUMENTED) {
    for (const [name, [, value]] of Object.entries(body?.examples ?? {})) {
      const { status } = security.includes("twilioSignature")
        ? await sendSigned(path, value as Record<string, string>)
        : security.includes("webhookProof")
        ? await deliver(await createWebhook("standard"), value)
        : await send(path, { headers: KEYS[security[0]!], body: value });
      assert(status in responses, `${path} "${name}" responds with ${status}`);
    }
  }
});
