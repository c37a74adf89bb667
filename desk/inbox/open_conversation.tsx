import { useQuery } from "@tanstack/react-query";
import ArrowLeft from "lucide-react/icons/arrow-left";
import Ellipsis from "lucide-react/icons/ellipsis";
import Info from "lucide-react/icons/info";
import NotebookPen from "lucide-react/icons/notebook-pen";
import PencilLine from "lucide-react/icons/pencil-line";
import Phone from "lucide-react/icons/phone";
import UserRoundPlus from "lucide-react/icons/user-round-plus";
import { useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
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
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { CallLink } from "../ui/recruit_facts.tsx";
import { hrefOf } from "./address.ts";
import { Composer, useComposerMode } from "../ui/composer.tsx";
import { AskForConversationButton, UnsentWords } from "../ui/unsent_words.tsx";
import { useKeys } from "./keys.ts";
import { NextWaiting, useNextWaiting } from "./next_waiting.tsx";
import { ActButton, OwnerProblems, OwnerText, useOwnerActs } from "./owner_actions.tsx";
import { useSnoozeAct } from "./snooze.tsx";
import { RecruitCard } from "./recruit_card.tsx";
import { MessageList } from "./message_list.tsx";
import { OutboxTexts } from "../ui/outbox_texts.tsx";
import { ThreadSkeleton } from "./thread_skeleton.tsx";

interface Opened {
  agent: Agent;
  view: View;
  /** Whether nobody has opened it yet: its texts do not count as read, and it does not take the focus. */
  isPreview: boolean;
}

/** One conversation: whose it is, its texts, what one may write, and who the recruit is. */
export function OpenConversation({ id, ...opened }: Opened & { id: string }) {
  const query = useQuery(conversationQueries.detail(id));
  return (
    <QueryResult
      query={query}
      resource="conversation"
      skeleton={<ThreadSkeleton />}
    >
      {(conversation) =>
        conversation === null
          ? <MissingConversation id={id} agent={opened.agent} />
          : <Thread conversation={conversation} {...opened} />}
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

function Thread({ conversation, agent, view, isPreview }: Opened & { conversation: Conversation }) {
  const [, navigate] = useLocation();
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
    const { activeElement, body } = document;
    if (isPreview || activeElement?.closest(".thread")) return;
    if ((history.state as { isWriting?: boolean } | null)?.isWriting) write();
    else if (activeElement !== body) heading.current?.focus({ preventScroll: true });
  }, [isPreview]);

  // They were queued, though the response may have been lost.
  useEffect(() => {
    clearQueued(agent.id, conversation.id, texts.map(({ text_outbox }) => text_outbox?.client_message_id ?? null));
  }, [agent.id, conversation.id, texts]);

  useKeys(agent.id, { r: write });

  const heardAt = texts.findLast(({ sender_type }) => sender_type === "recruit")?.created_at;
  const readUpTo = heardAt ?? conversation.last_text_at;
  const { done, bot, give, mutations } = useOwnerActs({ conversation, agent, isWriter, isPreview, readUpTo });
  const { snooze, dialog } = useSnoozeAct(conversation, readUpTo);
  const mode = useComposerMode(agent, conversation);
  const next = useNextWaiting(conversation, agent);
  useOfferedActs(
    isPreview ? [] : [
      { label: `Write to ${name}`, icon: PencilLine, keys: "R", run: write },
      ...[done, bot, isWriter ? snooze : null].filter((act) => act !== null),
    ],
  );
  const ownerText = <OwnerText conversation={conversation} agent={agent} />;
  const card = <RecruitCard conversation={conversation} isManager={agent.role === "manager"} />;
  const open = () => isPreview && navigate(hrefOf(view, conversation.id));
  const about = { icon: Info, label: `About ${name}` };
  // Where there is no room for icons, the acts have words.
  const takesOver = !isWide && !done && conversation.has_bot;
  const menu: MenuItem[] = [
    ...isPhone ? [{ ...about, run: () => document.getElementById("about")!.showPopover() }] : [],
    ...isWriter ? [snooze] : [],
    ...bot && !takesOver ? [bot] : [],
    ...conversation.recruiting_lead_id === null
      ? []
      : [{ label: "Write a note", icon: NotebookPen, run: mode.writeNote }],
    ...give.map(({ name, run }) => ({ label: <>Give it to {name}</>, icon: UserRoundPlus, run })),
  ];
  return (
    <>
      <section className="thread" aria-labelledby="recruit" onPointerDown={open} onFocus={open}>
        <div className="thread-head">
          <Link href={hrefOf(view)} className="to-list button plain icon-button" title="Inbox">
            <ArrowLeft size={20} />
            <span className="visually-hidden">Inbox</span>
          </Link>
          <div className="who">
            <h2 id="recruit" ref={heading} tabIndex={-1}>
              <bdi>{name}</bdi>
            </h2>
            <p className="quiet" role="status">{ownerText}</p>
          </div>
          {takesOver && bot && <ActButton act={bot} isNamed />}
          {conversation.recruiting_lead_id !== null && (
            <CallLink
              id={conversation.recruiting_lead_id}
              phone={conversation.recruit_phone}
              label="Call"
              className="button plain"
            >
              <Phone size={18} />
              <span className="from-wide">Call</span>
            </CallLink>
          )}
          {isWide && (
            <>
              {isWriter && <ActButton act={snooze} />}
              {bot && <ActButton act={bot} isNamed={conversation.has_bot} />}
              {give.length > 0 && (
                <Menu
                  label="Give it to"
                  icon={UserRoundPlus}
                  items={give.map(({ name, run }) => ({ label: name, run }))}
                />
              )}
              <IconButton {...about} aria-pressed={isAbout} onClick={() => setAbout(!isAbout)} />
            </>
          )}
          {!isWide && (
            <>
              {!isPhone && <IconButton {...about} popoverTarget="about" />}
              {menu.length > 0 && <Menu label="More acts" icon={Ellipsis} items={menu} />}
              <div id="about" popover="auto">
                <p className="quiet">{ownerText}</p>
                {card}
              </div>
            </>
          )}
          {done && <ActButton act={done} isNamed />}
        </div>
        <OwnerProblems mutations={mutations} />
        {dialog}
        <QueryResult query={messages} resource="texts" skeleton={<Skeleton rows={5} />}>
          {() => (
            <MessageList
              texts={texts}
              query={messages}
              conversation={conversation}
              agentId={agent.id}
              name={name}
              isWriter={isWriter}
              isRead={!isPreview}
            >
              <OutboxTexts texts={texts} conversation={conversation} agent={agent} isWriter={isWriter} />
            </MessageList>
          )}
        </QueryResult>
        {next !== null && <NextWaiting conversation={conversation} next={next} />}
        <Composer
          conversation={conversation}
          agent={agent}
          name={name}
          isWriter={isWriter}
          heardAt={heardAt}
          next={next}
          mode={mode}
        />
      </section>
      {isWide && isAbout && <aside aria-label="The recruit">{card}</aside>}
    </>
  );
}
