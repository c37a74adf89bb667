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

Deno.test("dev/local/commands/examples.ts has a command for every route of the specification", () => {
  assert.deepEqual(list.map(({ route }) => route), Object.keys(RESPONSES));
});

for (const { route, command } of list) {
  Deno.test(`the command that npm start prints for ${route} works as pasted`, async () => {
    const { stdout, stderr } = await new Deno.Command("sh", { args: ["-c", command] }).output();
    const text = new TextDecoder().decode(stdout);
    assert(text !== "", new TextDecoder().decode(stderr));
    assert.partialDeepStrictEqual(JSON.parse(text), RESPONSES[route]!);
  });
}
