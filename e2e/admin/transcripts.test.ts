/** Each command prints what its transcript shows: e2e/admin/<noun>.transcript. */
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import "../support/admin.ts";
import { withoutOpenOrders } from "../support/client.ts";
import { withGraph } from "../support/graph.ts";
import { runTranscript } from "../support/transcript.ts";

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
