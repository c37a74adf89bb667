import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { type FilledReply, quickReplyQueries } from "../data/quick_replies.ts";

/**
 * The quick replies that the words in the box ask for: `/` and the begin of a shortcut, and nothing else.
 *
 * A `<textarea>` may not have the role `combobox`. It stays a text box that has a list of suggestions.
 *
 * @param choose puts the words of a quick reply into the box
 */
export function useQuickReplies({ conversationId, typed, choose }: {
  conversationId: string;
  typed: string;
  choose: (body: string) => void;
}) {
  const id = useId();
  const asked = /^\/([a-z0-9_-]*)$/i.exec(typed)?.[1]?.toLowerCase();
  const [closedAt, setClosedAt] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  // Other words may open it again.
  if (closedAt !== null && closedAt !== typed) setClosedAt(null);
  const isOpen = asked !== undefined && closedAt !== typed;
  const { data, error } = useQuery({ ...quickReplyQueries.to(conversationId), enabled: isOpen });
  const found = isOpen ? matchesOf(data ?? [], asked) : [];
  const place = Math.min(active, found.length - 1);
  const chosen = found[place];

  function take({ body }: FilledReply): void {
    setActive(0);
    choose(body);
  }

  /** Returns whether the key was one for the list. */
  function onKeyDown(event: KeyboardEvent): boolean {
    if (!isOpen || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return false;
    if (event.key === "Escape") setClosedAt(typed);
    else if (chosen === undefined) return false;
    else if (event.key === "ArrowDown") setActive((place + 1) % found.length);
    else if (event.key === "ArrowUp") setActive((place + found.length - 1) % found.length);
    else if (event.key === "Enter" || event.key === "Tab" && !event.shiftKey) take(chosen);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  const box = {
    "aria-autocomplete": "list",
    ...(chosen && { "aria-controls": id, "aria-activedescendant": `${id}-${chosen.id}` }),
  } as const;
  const list = isOpen && (
    <div className="quick-replies">
      <p className={chosen ? "visually-hidden" : "quiet"} role="status">
        {statusOf(found, data, error)}
      </p>
      {chosen && (
        <ul id={id} role="listbox" aria-label="Quick replies" tabIndex={0}>
          {found.map((reply, at) => (
            <li
              key={reply.id}
              id={`${id}-${reply.id}`}
              role="option"
              aria-selected={at === place}
              ref={(item) => {
                if (at === place) item?.scrollIntoView({ block: "nearest" });
              }}
              // The box keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => take(reply)}
            >
              <strong>/{reply.shortcut}</strong> <span dir="auto">{reply.body}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
  return { box, list: list as ReactNode, onKeyDown };
}

/** Those whose shortcut begins so first, then those that have it elsewhere. */
function matchesOf(replies: FilledReply[], asked: string): FilledReply[] {
  const begins = replies.filter(({ shortcut }) => shortcut.startsWith(asked));
  return [...begins, ...replies.filter((reply) => !begins.includes(reply) && reply.shortcut.includes(asked))];
}

function statusOf(found: FilledReply[], all: FilledReply[] | undefined, error: Error | null): string {
  if (found.length > 0) return found.length === 1 ? "1 quick reply" : `${found.length} quick replies`;
  if (all === undefined) return error === null ? "Loading the quick replies" : error.message;
  return all.length === 0
    ? "Your agency has no quick replies yet. A manager adds them in Settings."
    : "No quick reply has this shortcut.";
}
