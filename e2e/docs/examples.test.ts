import assert from "node:assert/strict";
import { examples } from "../../dev/local/mod.ts";
import { stack } from "../support/client.ts";

const RESPONSES: Record<string, object> = {
  "POST /recruiting/ingest": { status: "created" },
  "POST /recruiting/ingest/bulk": { created: 2, duplicates: 0, errors: [] },
  "POST /api/leads/import": { success: true },
  "POST /api/leads/log-presentation-activity": { success: true },
  "POST /recruiting/sms/inbound": { status: "received" },
  "POST /recruiting/sms/status": { status: "updated" },
};

const list = examples(stack);

Deno.test("every route of the specification has a command", () => {
  const routes = list.map(({ route }) => route);
  assert.deepEqual(Object.keys(RESPONSES).filter((route) => !routes.includes(route)), []);
});

for (const { route, command } of list) {
  Deno.test(`the command that npm start prints for ${route} works as pasted`, async () => {
    const { stdout, stderr } = await new Deno.Command("sh", { args: ["-c", command] }).output();
    const text = new TextDecoder().decode(stdout);
    assert(text !== "", new TextDecoder().decode(stderr));
    const response = JSON.parse(text);
    assert.equal(response.error, undefined, text);
    assert.partialDeepStrictEqual(response, RESPONSES[route] ?? {});
  });
}
