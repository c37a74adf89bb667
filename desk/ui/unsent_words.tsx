import type { ReactNode } from "react";
import { useDraft } from "../data/drafts.ts";
import { askForConversation } from "../data/conversation.ts";
import { takeOut, useOutbox } from "../data/outbox.ts";
import { ActionError, useAction } from "./action.tsx";
import { ConfirmButton } from "./confirm.tsx";
import { CopyButton } from "./copy_button.tsx";
import { noteDraftKey } from "./note_composer.tsx";

/** The words that the agent has written in a conversation of somebody else by now, to be read and copied. */
export function UnsentWords({ agentId, conversationId }: { agentId: string; conversationId: string }) {
  const { draft: { body } } = useDraft(agentId, conversationId);
  const { draft: note } = useDraft(agentId, noteDraftKey(conversationId));
  const { texts } = useOutbox();
  return (
    <div className="composer">
      {body !== "" && <Words label="What you have written" words={body} />}
      {note.body !== "" && <Words label="The note that you have written" words={note.body} />}
      {texts.filter((text) => text.conversation_id === conversationId).map(({ client_message_id, body }) => (
        <Words key={client_message_id} label="What you have not sent" words={body}>
          <DeleteTextButton client_message_id={client_message_id} />
        </Words>
      ))}
    </div>
  );
}

function Words({ label, words, children }: { label: string; words: string; children?: ReactNode }) {
  return (
    <div>
      <textarea aria-label={label} rows={2} readOnly value={words} />
      <div className="buttons">
        <CopyButton words={words} />
        {children}
      </div>
    </div>
  );
}

/** Asks the manager for a conversation. */
export function AskForConversationButton({ conversationId }: { conversationId: string }) {
  const action = useAction(() => askForConversation(conversationId));
  return (
    <span className="action">
      <button type="button" aria-disabled={action.isRunning || action.isDone} onClick={() => action.run()}>
        {action.isDone ? "The manager was asked" : "Ask for this conversation"}
      </button>
      <ActionError action={action} />
    </span>
  );
}

/** Deletes a text that waits, after asking. */
export function DeleteTextButton({ client_message_id }: { client_message_id: string }) {
  return (
    <ConfirmButton
      className="link"
      label="Delete this text"
      question={<p>It is not sent then, and its words are gone.</p>}
      act={() => takeOut(client_message_id)}
    />
  );
}
