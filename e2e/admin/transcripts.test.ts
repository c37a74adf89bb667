/** Each command prints what its transcript shows: e2e/admin/<noun>.transcript. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AdminCommand } from "../../admin/command.ts";
import { buildProgram } from "../../admin/program.ts";
import "../support/admin.ts";
import { sql, withoutOpenOrders } from "../support/client.ts";
import { withGraph } from "../support/graph.ts";
import { OPERATOR, runTranscript } from "../support/transcript.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** Those that `npm test -- e2e <file>` names; all, unless it names some. */
const CHOSEN = Deno.env.get("TRANSCRIPTS")?.split(",").map((path) => path.replace(/^.*\//, ""));

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith(".transcript")).sort()) {
  Deno.test({
    name: `commands print what ${file} shows`,
    ignore: CHOSEN !== undefined && !CHOSEN.includes(file),
    // So that no lead of a transcript goes to an order that it does not show.
    fn: () =>
      withoutOpenOrders(() => withGraph(() => runTranscript(FOLDER + file, Deno.env.has("UPDATE_TRANSCRIPTS")))),
  });
}

/** What changes something only by a double of Twilio or Meta, which other tests start. */
const ELSEWHERE = ["lead fetch", "text reconcile"];

const actionsOf = (command: AdminCommand): string[] =>
  command.recordedAs ? [command.recordedAs] : command.commands.flatMap((inner) => actionsOf(inner as AdminCommand));
const ACTIONS = [...new Set(actionsOf(buildProgram(() => Promise.resolve(), () => {})))];

Deno.test("the database knows each action of a command", async () => {
  const unknown = await sql`
    select a.action from unnest(${ACTIONS}::text[]) a (action) where private.action_members(a.action) is null`;
  assert.deepEqual([...unknown], []);
});

Deno.test("each command that changes something or shows data of a person has left a row with its operator", {
  ignore: CHOSEN !== undefined,
}, async () => {
  const rows = await sql`select distinct action from public.operator_actions where done_by = ${OPERATOR}`;
  const stored = new Set(rows.map(({ action }) => action));
  assert.deepEqual(ACTIONS.filter((action) => !stored.has(action) && !ELSEWHERE.includes(action)), []);
});
