/** The conversations of the product, each as it must be; docs/bot.md has their form. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { formatDifference, playAll, readConversations } from "../../../admin/conversations/folder.ts";
import { connect, readStackInfo, ROOT } from "../../../dev/local/mod.ts";

const FOLDER = fileURLToPath(new URL("../../functions/worker/bot/conversations", import.meta.url));

Deno.test("each kept conversation comes as it must", async () => {
  const kept = readConversations(FOLDER, `${ROOT}/docs/examples/bot_script.json`);
  assert(kept.length >= 200, `${kept.length} conversations`);
  const sql = connect(readStackInfo().db_url);
  try {
    const differing = (await playAll(sql, kept)).filter(({ isRight }) => !isRight);
    assert.equal(differing.length, 0, differing.map(formatDifference).join("\n\n"));
  } finally {
    await sql.end();
  }
});

Deno.test("no kept conversation stands twice", () => {
  const kept = readConversations(FOLDER, `${ROOT}/docs/examples/bot_script.json`);
  const said = kept.map(({ file, conversation }) =>
    JSON.stringify([
      file.replace(/^(of_age|spanish).*|.*/, "$1"),
      conversation.from,
      conversation.turns.map(({ texts }) => texts),
    ])
  );
  assert.deepEqual(said.filter((one, i) => said.indexOf(one) !== i), []);
});
