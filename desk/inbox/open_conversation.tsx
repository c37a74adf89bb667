import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { Link } from "wouter";
import { type Conversation, conversationQueries, mayWrite } from "../data/conversation.ts";
import { clearQueued } from "../data/drafts.ts";
import type { View } from "../data/inbox.ts";
import { messageQueries } from "../data/messages.ts";
import { nameOf, notificationQueries } from "../data/notifications.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { phoneText } from "../ui/phone.ts";
import { EmptyState, QueryResult, Skeleton } from "../ui/query_result.tsx";
import { useIsWide } from "../ui/is_wide.ts";
import { hrefOf } from "./address.ts";
import { Composer } from "./composer.tsx";
import { AskForConversationButton, UnsentWords } from "./unsent_words.tsx";
import { useKeys } from "./keys.ts";
import { NextWaiting } from "./next_waiting.tsx";
import { OwnerActions, ownerText } from "./owner_actions.tsx";
import { RecruitCard } from "./recruit_card.tsx";
import { MessageList } from "./message_list.tsx";
import { OutboxTexts } from "./outbox_texts.tsx";
import { ThreadSkeleton } from "./thread_skeleton.tsx";

/** One conversation: whose it is, its texts, what one may write, and who the recruit is. */
export function OpenConversation({ id, agent, view }: { id: string; agent: Agent; view: View }) {
  const query = useQuery(conversationQueries.detail(id));
  return (
    <QueryResult
      query={query}
      resource="conversation"
      skeleton={<ThreadSkeleton />}
    >
      {(conversation) =>
        conversation === null
          ? <MissingConversation id={id} agent={agent} />
          : <Thread conversation={conversation} agent={agent} view={view} />}
    </QueryResult>
  );
}

/** A conversation that the user does not read any more. The words that were written here stay. */
function MissingConversation({ id, agent }: { id: string; agent: Agent }) {
  const { data: takeover } = useQuery(notificationQueries.takeover(id));
  return (
    <div className="thread">
      <EmptyState
        title={takeover
          ? (
            <>
              <bdi>{nameOf(takeover.by)}</bdi> has this conversation now.
            </>
          )
          : "There is no such conversation, or it is not yours."}
      >
        <Link href="/inbox">Back to the inbox</Link>
      </EmptyState>
      {takeover && <AskForConversationButton conversationId={id} />}
      <UnsentWords agentId={agent.id} conversationId={id} />
    </div>
  );
}

function Thread({ conversation, agent, view }: { conversation: Conversation; agent: Agent; view: View }) {
  const messages = usePages(messageQueries.list(conversation.id));
  const texts = useMemo(() => messages.data?.toReversed() ?? [], [messages.data]);
  const isWide = useIsWide();
  const heading = useRef<HTMLHeadingElement>(null);
  const name = conversation.name || phoneText(conversation.recruit_phone);
  const isWriter = mayWrite(agent, conversation);

  // A user who has come by the list goes on here. A page that was opened by its address has no focus yet.
  useEffect(() => {
    if (document.activeElement !== document.body) heading.current?.focus({ preventScroll: true });
  }, []);

  // They were queued, though the response may have been lost.
  useEffect(() => {
    clearQueued(agent.id, conversation.id, texts.map(({ text_outbox }) => text_outbox?.client_message_id ?? null));
  }, [agent.id, conversation.id, texts]);

  useKeys(agent.id, { r: () => document.querySelector<HTMLElement>(".composer textarea")?.focus() });

  const readUpTo = texts.findLast(({ sender_type }) => sender_type === "recruit")?.created_at ??
    conversation.last_text_at;
  const owner = <OwnerActions conversation={conversation} agent={agent} isWriter={isWriter} readUpTo={readUpTo} />;
  const card = <RecruitCard conversation={conversation} isManager={agent.role === "manager"} />;
  return (
    <>
      <section className="thread" aria-labelledby="recruit">
        <div className="thread-head">
          <Link href={hrefOf(view)} className="to-list button" title="Inbox">
            <span className="visually-hidden">Inbox</span>
          </Link>
          <h2 id="recruit" ref={heading} tabIndex={-1}>
            <bdi>{name}</bdi>
          </h2>
          <p className="quiet" role="status">{ownerText(conversation, agent)}</p>
          {isWide ? owner : (
            <>
              <button type="button" className="about" popoverTarget="about">
                About <span className="visually-hidden">{name}</span>
              </button>
              <div id="about" popover="auto">
                <p>
                  <strong>
                    <bdi>{name}</bdi>
                  </strong>
                </p>
                <p className="quiet">{ownerText(conversation, agent)}</p>
                {owner}
                {card}
              </div>
            </>
          )}
        </div>
        <QueryResult query={messages} resource="texts" skeleton={<Skeleton rows={5} />}>
          {() => (
            <MessageList
              texts={texts}
              query={messages}
              conversation={conversation}
              agentId={agent.id}
              name={name}
              isWriter={isWriter}
            >
              <OutboxTexts texts={texts} conversation={conversation} agent={agent} isWriter={isWriter} />
            </MessageList>
          )}
        </QueryResult>
        <NextWaiting conversation={conversation} agent={agent} />
        <Composer conversation={conversation} agent={agent} name={name} isWriter={isWriter} />
      </section>
      {isWide && <aside aria-label="The recruit">{card}</aside>}
    </>
  );
}
