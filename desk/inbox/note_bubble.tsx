import { memo } from "react";
import type { Note } from "../data/notes.ts";
import { fullName } from "../ui/name.ts";
import { Time } from "../ui/time.tsx";

/** A note of an agent among the texts. It looks like none of them. */
export const NoteBubble = memo(function NoteBubble({ note, agentId }: { note: Note; agentId: string }) {
  return (
    <li className="note">
      <p className="quiet">
        <strong>
          {note.agent_id === agentId ? "Your note" : (
            <>
              Note by <bdi>{fullName(note.author)}</bdi>
            </>
          )}
        </strong>{" "}
        <Time at={note.created_at} isDayKnown />
      </p>
      <p className="body" dir="auto">{note.body}</p>
    </li>
  );
});
