import { useQuery } from "@tanstack/react-query";
import { Fragment, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { Conversation } from "../data/conversation.ts";
import type { Message } from "../data/messages.ts";
import { noteQueries } from "../data/notes.ts";
import { LoadMoreButton, type PagedQuery } from "../ui/load_more_button.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { useMarkRead } from "../ui/mark_read.ts";
import { MessageBubble } from "./message_bubble.tsx";
import { NoteBubble } from "./note_bubble.tsx";
import { timelineOf } from "./timeline.ts";

/** The texts of a conversation and the notes, oldest first. It begins at its end, and stays there while it is there. */
export function MessageList({ texts, query, conversation, agentId, name, isWriter, isRead, children }: {
  texts: Message[];
  query: PagedQuery;
  conversation: Conversation;
  /** The agent who reads them. */
  agentId: string;
  name: string;
  isWriter: boolean;
  /** Whether what is shown counts as read. */
  isRead: boolean;
  /** The elements after them. */
  children: ReactNode;
}) {
  const [isAtEnd, setAtEnd] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  const latest = texts.at(-1);
  const latestOfOurs = texts.findLast(({ sender_type }) => sender_type !== "recruit");
  useMarkRead(conversation, latest?.created_at, isRead && isAtEnd);
  const said = useNewWords(texts);
  const leadId = conversation.recruiting_lead_id;
  const { data: notes } = useQuery({ ...noteQueries.list(leadId ?? ""), enabled: leadId !== null });
  const entries = useMemo(() => timelineOf(texts, notes ?? [], query.hasNextPage), [texts, notes, query.hasNextPage]);

  return (
    <div className="texts">
      <p className="visually-hidden" aria-live="polite">{said && `${name}: ${said}`}</p>
      {/* In reverse, so that the browser keeps the place from the end, whatever comes before it. */}
      <div
        className="texts-scroll"
        ref={box}
        role="region"
        aria-label="Texts"
        tabIndex={0}
        onScroll={({ currentTarget }) => setAtEnd(currentTarget.scrollTop > -40)}
      >
        <div>
          <LoadMoreButton query={query} label="Show earlier" />
          {latest === undefined && (
            <EmptyState title="No text yet.">
              What you write below is the first that <bdi>{name}</bdi> gets.
            </EmptyState>
          )}
          <ol>
            {entries.map(({ id, day, isFirst, text, note }) => (
              <Fragment key={id}>
                {day !== null && <li className="day quiet">{day}</li>}
                {note ? <NoteBubble note={note} agentId={agentId} /> : (
                  <MessageBubble
                    text={text}
                    name={name}
                    isFirst={isFirst}
                    isLatest={text === latestOfOurs}
                    conversationId={conversation.id}
                    agentId={agentId}
                    isWriter={isWriter}
                  />
                )}
              </Fragment>
            ))}
            {children}
          </ol>
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" className="to-end" onClick={() => box.current!.scrollTo({ top: 0 })}>
          {conversation.is_unread ? "New text below" : "To the latest"}
        </button>
      )}
    </div>
  );
}

/** The words that the recruit has written since the conversation was opened, for the screen reader. */
function useNewWords(texts: Message[]): string | null {
  const latest = texts.findLast(({ sender_type }) => sender_type === "recruit");
  const known = useRef(latest?.id);
  const [words, setWords] = useState<string | null>(null);
  useEffect(() => {
    if (latest === undefined || latest.id === known.current) return;
    known.current = latest.id;
    setWords(latest.body || "a file");
  }, [latest?.id]);
  return words;
}
