import { Fragment, type ReactNode, useEffect, useRef, useState } from "react";
import type { Conversation } from "../data/conversation.ts";
import type { Message } from "../data/messages.ts";
import { LoadMoreButton, type PagedQuery } from "../ui/load_more_button.tsx";
import { EmptyState } from "../ui/states.tsx";
import { dayText } from "../ui/time.tsx";
import { useMarkRead } from "./mark_read.ts";
import { MessageBubble } from "./message_bubble.tsx";

/** The texts of a conversation, oldest first. It begins at its end, and stays there while it is there. */
export function MessageList({ texts, query, conversation, agentId, name, isWriter, children }: {
  texts: Message[];
  query: PagedQuery;
  conversation: Conversation;
  /** The agent who reads them. */
  agentId: string;
  name: string;
  isWriter: boolean;
  /** The elements after them. */
  children: ReactNode;
}) {
  const [isAtEnd, setAtEnd] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  const latest = texts.at(-1);
  useMarkRead(conversation, latest?.created_at, isAtEnd);
  const said = useNewWords(texts);

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
            <EmptyState title="No text yet.">What you write below is the first that {name} gets.</EmptyState>
          )}
          <ol>
            {texts.map((text, place) => {
              const day = dayText(text.created_at);
              const isNewDay = place === 0 || day !== dayText(texts[place - 1]!.created_at);
              return (
                <Fragment key={text.id}>
                  {isNewDay && <li className="day quiet">{day}</li>}
                  <MessageBubble
                    text={text}
                    name={name}
                    conversationId={conversation.id}
                    agentId={agentId}
                    isWriter={isWriter}
                  />
                </Fragment>
              );
            })}
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
