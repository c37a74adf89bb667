import { useQuery } from "@tanstack/react-query";
import ArrowLeft from "lucide-react/icons/arrow-left";
import Info from "lucide-react/icons/info";
import PencilLine from "lucide-react/icons/pencil-line";
import Phone from "lucide-react/icons/phone";
import { useEffect, useMemo, useRef, useState } from "react";
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
import { useOfferedActs } from "../ui/acts.ts";
import { IconButton } from "../ui/icon_button.tsx";
import { useIsPhone, useIsWide } from "../ui/is_wide.ts";
import { CallLink } from "../ui/recruit_facts.tsx";
import { hrefOf } from "./address.ts";
import { Composer } from "./composer.tsx";
import { AskForConversationButton, UnsentWords } from "./unsent_words.tsx";
import { useKeys } from "./keys.ts";
import { NextWaiting } from "./next_waiting.tsx";
import { ActButton, OwnerProblems, OwnerText, Reassign, useOwnerActs } from "./owner_actions.tsx";
import { SnoozeButton } from "./snooze.tsx";
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
  const [isWide, isPhone] = [useIsWide(), useIsPhone()];
  const [isAbout, setAbout] = useState(true);
  const heading = useRef<HTMLHeadingElement>(null);
  const name = conversation.name || phoneText(conversation.recruit_phone);
  const isWriter = mayWrite(agent, conversation);

  const write = () => document.querySelector<HTMLElement>(".composer textarea")?.focus();
  // A user who has come by the list goes on here. A page that was opened by its address has no focus yet.
  useEffect(() => {
    if ((history.state as { isWriting?: boolean } | null)?.isWriting) write();
    else if (document.activeElement !== document.body) heading.current?.focus({ preventScroll: true });
  }, []);

  // They were queued, though the response may have been lost.
  useEffect(() => {
    clearQueued(agent.id, conversation.id, texts.map(({ text_outbox }) => text_outbox?.client_message_id ?? null));
  }, [agent.id, conversation.id, texts]);

  useKeys(agent.id, { r: write });

  const readUpTo = texts.findLast(({ sender_type }) => sender_type === "recruit")?.created_at ??
    conversation.last_text_at;
  const { done, bot, assign, mutations } = useOwnerActs({ conversation, agent, isWriter, readUpTo });
  useOfferedActs([
    { label: `Write to ${name}`, icon: PencilLine, keys: "R", run: write },
    ...[done, bot].filter((act) => act !== null),
  ]);
  const others = (isNamed: boolean) => (
    <>
      {isWriter && <SnoozeButton conversation={conversation} readUpTo={readUpTo} isNamed={isNamed} />}
      {bot && (!isPhone || !conversation.hasBot) && (
        <ActButton act={bot} isNamed={isNamed || isWide && conversation.hasBot} />
      )}
      {agent.role === "manager" && (
        <Reassign conversation={conversation} agent={agent} assign={assign} isNamed={isNamed} />
      )}
    </>
  );
  const ownerText = <OwnerText conversation={conversation} agent={agent} />;
  const card = <RecruitCard conversation={conversation} isManager={agent.role === "manager"} />;
  const about = { icon: Info, label: `About ${name}` };
  return (
    <>
      <section className="thread" aria-labelledby="recruit">
        <div className="thread-head">
          <Link href={hrefOf(view)} className="to-list button plain icon-button" title="Inbox">
            <ArrowLeft size={20} />
            <span className="visually-hidden">Inbox</span>
          </Link>
          <h2 id="recruit" ref={heading} tabIndex={-1}>
            <bdi>{name}</bdi>
          </h2>
          <p className="quiet" role="status">{ownerText}</p>
          {done && <ActButton act={done} isNamed={isWide} />}
          {conversation.recruiting_lead_id !== null && (
            <CallLink
              id={conversation.recruiting_lead_id}
              phone={conversation.recruit_phone}
              className="button plain icon-button"
            >
              <Phone size={20} />
              <span className="visually-hidden">Call</span>
            </CallLink>
          )}
          {isPhone ? conversation.hasBot && bot && <ActButton act={bot} /> : others(false)}
          {isWide ? <IconButton {...about} aria-pressed={isAbout} onClick={() => setAbout(!isAbout)} /> : (
            <>
              <IconButton {...about} popoverTarget="about" />
              <div id="about" popover="auto">
                <p>
                  <strong>
                    <bdi>{name}</bdi>
                  </strong>
                </p>
                <p className="quiet">{ownerText}</p>
                {isPhone && <div className="owner buttons">{others(true)}</div>}
                {card}
              </div>
            </>
          )}
        </div>
        <OwnerProblems mutations={mutations} />
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
      {isWide && isAbout && <aside aria-label="The recruit">{card}</aside>}
    </>
  );
}
