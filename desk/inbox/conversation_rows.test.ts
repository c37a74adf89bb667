import assert from "node:assert/strict";
import type { InboxRow } from "../data/inbox.ts";
import type { Agent } from "../data/user.ts";
import { lastText } from "./conversation_rows.tsx";

Deno.test("the latest text of a conversation says who of us wrote it", () => {
  for (
    const [row, words] of [
      [{ last_sender: null }, "No text yet"],
      [{ last_sender: "recruit" }, "Hi"],
      [{ last_sender: "recruit", last_body: "", last_media: 2 }, "2 files"],
      [{ last_sender: "bot" }, "Bot: Hi"],
      [{ last_sender: "agent", last_sent_by: "nora", last_author: "Nora" }, "You: Hi"],
      [{ last_sender: "agent", last_sent_by: "omar", last_author: "Omar" }, "Omar: Hi"],
      [{ last_sender: "agent", last_sent_by: null, last_author: null }, "Agent: Hi"],
    ] as [Partial<InboxRow>, string][]
  ) {
    assert.equal(lastText({ last_body: "Hi", last_media: 0, ...row } as InboxRow, { id: "nora" } as Agent), words);
  }
});
