import { type KeyboardEvent, useId } from "react";
import type { Conversation } from "../data/conversation.ts";
import { useDraft } from "../data/drafts.ts";
import { FILE_TYPES, sendText, uploadFile } from "../data/messages.ts";
import type { Agent } from "../data/user.ts";
import { Problem, useAction } from "../ui/action.tsx";
import { timeText } from "../ui/time.tsx";
import { MAX_LENGTH, segmentsOf } from "./segments.ts";

/**
 * Where the agent writes. What is written stays until it is queued, whatever fails. Nothing else is rendered at each
 * key.
 */
export function Composer(
  { conversation, agent, name, isWriter }: {
    conversation: Conversation;
    agent: Agent;
    name: string;
    isWriter: boolean;
  },
) {
  const { draft, change, clear } = useDraft(agent.id, conversation.id);
  const id = useId();
  const body = draft.body.trim();
  const isTooLong = body.length > MAX_LENGTH;
  const attaching = useAction(async (file: File) => {
    change({ file: { ...await uploadFile(conversation.id, file), name: file.name } });
  });
  // The file comes first: what changes while it is sent would be another text with the same words.
  const isReady = !attaching.isRunning && !isTooLong && (body !== "" || draft.file !== null);
  const problem = whyNot(conversation, name, isWriter);
  const sending = useAction(async () => {
    if (!isReady) return;
    const client_message_id = draft.client_message_id ?? crypto.randomUUID();
    change({ client_message_id });
    const media = draft.file === null ? [] : [{ url: draft.file.url, content_type: draft.file.content_type }];
    await sendText({ conversation_id: conversation.id, body, client_message_id, media });
    clear(client_message_id);
  });

  function sendByKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void sending.run();
  }

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void sending.run();
      }}
    >
      {problem !== null && <p id={`${id}-why`} className="why-not">{problem}</p>}
      <textarea
        aria-label={`Text to ${name}`}
        aria-describedby={problem === null ? `${id}-count` : `${id}-why`}
        rows={2}
        value={draft.body}
        readOnly={sending.isRunning}
        disabled={problem !== null}
        onChange={(event) => change({ body: event.target.value })}
        onKeyDown={sendByKey}
      />
      {problem === null && (
        <div className="buttons">
          <button
            type="submit"
            className="primary"
            title="Ctrl+Enter"
            aria-disabled={sending.isRunning || !isReady}
          >
            {conversation.hasBot ? "Send and take over" : "Send"}
          </button>
          {draft.file === null
            ? (
              <label className="button attach">
                {attaching.isRunning ? "Uploading" : "Add a file"}
                <input
                  type="file"
                  className="visually-hidden"
                  accept={FILE_TYPES}
                  disabled={sending.isRunning}
                  onChange={({ target }) => {
                    if (target.files?.[0]) void attaching.run(target.files[0]);
                    target.value = "";
                  }}
                />
              </label>
            )
            : (
              <span className="buttons">
                {draft.file.name}
                <button type="button" disabled={sending.isRunning} onClick={() => change({ file: null })}>
                  Remove the file
                </button>
              </span>
            )}
          <small id={`${id}-count`} className={isTooLong ? "problem" : undefined}>{countText(body)}</small>
        </div>
      )}
      <Problem of={sending} />
      <Problem of={attaching} />
    </form>
  );
}

function countText(body: string): string {
  const segments = segmentsOf(body);
  const length = `${body.length.toLocaleString("en-US")} of ${MAX_LENGTH.toLocaleString("en-US")}`;
  return body === "" ? length : `${length} · ${segments} ${segments === 1 ? "segment" : "segments"}`;
}

/** Why nothing can be written here; null: it can. */
function whyNot({ optOut, is_opted_out, agent }: Conversation, name: string, isWriter: boolean): string | null {
  if (is_opted_out) {
    const until = `Nobody of the agency may text this number until ${name} writes START.`;
    if (optOut === null) return `${name} has opted out. ${until}`;
    const at = timeText(optOut.at);
    if (optOut.words !== null) return `${name} wrote “${optOut.words}” (${at}). ${until}`;
    if (optOut.source === "provider") return `The provider says that ${name} has opted out (${at}). ${until}`;
    return `${name} has opted out (${at}). ${until}`;
  }
  return isWriter ? null : `${agent ?? "Another agent"} answers here. You can read along.`;
}
