import { type KeyboardEvent, type ReactNode, useId } from "react";
import { useDraft } from "../data/drafts.ts";
import { MAX_NOTE_LENGTH, useAddNote } from "../data/notes.ts";
import type { Agent } from "../data/user.ts";
import { ActionError, useAction } from "./action.tsx";

/**
 * The key of the draft of a note: its words never get into the box for texts.
 *
 * @param id of the conversation or the recruit where it is written
 */
export function noteDraftKey(id: string): string {
  return `${id}:note`;
}

/** Where an agent writes a note about the recruit. What is written stays until the service has it. */
export function NoteComposer({ placeId, leadId, agent, name, isChosen = false, modeButton }: {
  /** The id of the conversation or the recruit where it is written. */
  placeId: string;
  leadId: string;
  agent: Agent;
  name: string;
  /** Whether the user has just come from texts: the box gets the focus. */
  isChosen?: boolean;
  /** The button that leads back to texts. */
  modeButton?: ReactNode;
}) {
  const { draft, change, clear } = useDraft(agent.id, noteDraftKey(placeId));
  const { mutateAsync: addNote } = useAddNote(leadId, agent);
  const id = useId();
  const body = draft.body.trim();
  const saving = useAction(async () => {
    if (body === "") return;
    if (body.length > MAX_NOTE_LENGTH) {
      const [most, given] = [MAX_NOTE_LENGTH, body.length].map((count) => count.toLocaleString("en-US"));
      throw new Error(`A note has at most ${most} characters, and this one has ${given}. Make it shorter.`);
    }
    const { client_message_id } = draft;
    await addNote({ id: client_message_id, body });
    clear(client_message_id);
  });

  function saveByKey(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void saving.run();
  }

  return (
    <form
      className="composer is-note"
      onSubmit={(event) => {
        event.preventDefault();
        void saving.run();
      }}
    >
      <p id={id} className="note-words">
        Only your agency reads notes.
      </p>
      <div className="compose">
        <textarea
          aria-label={`Note about ${name}`}
          aria-describedby={id}
          placeholder="Write a note"
          rows={1}
          autoFocus={isChosen}
          value={draft.body}
          readOnly={saving.isRunning}
          onChange={(event) => change({ body: event.target.value })}
          onKeyDown={saveByKey}
        />
        {modeButton}
        <button type="submit" className="primary" title="Ctrl+Enter" aria-disabled={saving.isRunning || body === ""}>
          Save note
        </button>
      </div>
      <ActionError action={saving} />
    </form>
  );
}
