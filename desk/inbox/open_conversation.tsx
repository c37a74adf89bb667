import { useEffect, useMemo, useRef } from "react";
import { Link } from "wouter";
import { type Conversation, mayWrite, useConversation } from "../data/conversation.ts";
import { clearQueued } from "../data/drafts.ts";
import { useMessages } from "../data/messages.ts";
import { useLoss } from "../data/notices.ts";
import type { Agent } from "../data/user.ts";
import { phoneText } from "../ui/phone.ts";
import { Empty, Shown, Skeleton } from "../ui/states.tsx";
import { useWide } from "../ui/wide.ts";
import { Composer } from "./composer.tsx";
import { AskForIt, KeptWords } from "./kept.tsx";
import { Owner, ownerText } from "./owner.tsx";
import { RecruitCard } from "./recruit_card.tsx";
import { Texts } from "./texts.tsx";
import { WaitingTexts } from "./waiting_texts.tsx";

/** One conversation: whose it is, its texts, what one may write, and who the recruit is. */
export function OpenConversation({ id, agent }: { id: string; agent: Agent }) {
  const query = useConversation(id);
  return (
    <Shown
      query={query}
      of="conversation"
      skeleton={
        <div className="thread">
          <Skeleton rows={5} />
        </div>
      }
    >
      {(conversation) =>
        conversation === null ? <Gone id={id} agent={agent} /> : <Thread conversation={conversation} agent={agent} />}
    </Shown>
  );
}

/** What was written here stays, also where a colleague has the conversation now. */
function Gone({ id, agent }: { id: string; agent: Agent }) {
  const { data: loss } = useLoss(id);
  return (
    <div className="thread">
      <Empty
        title={loss ? `${loss.by} has this conversation now.` : "There is no such conversation, or it is not yours."}
      >
        <Link href="/inbox">Back to the inbox</Link>
      </Empty>
      {loss && <AskForIt conversationId={id} />}
      <KeptWords agentId={agent.id} conversationId={id} />
    </div>
  );
}

function Thread({ conversation, agent }: { conversation: Conversation; agent: Agent }) {
  const messages = useMessages(conversation.id);
  const texts = useMemo(() => messages.data?.toReversed() ?? [], [messages.data]);
  const isWide = useWide();
  const heading = useRef<HTMLHeadingElement>(null);
  const name = conversation.name || phoneText(conversation.recruit_phone);
  const isWriter = mayWrite(agent, conversation);

  // Who has come by the list goes on here. A page that was opened by its address has no focus yet.
  useEffect(() => {
    if (document.activeElement !== document.body) heading.current?.focus({ preventScroll: true });
  }, []);

  // They were queued, though the response may have been lost.
  useEffect(() => {
    clearQueued(agent.id, conversation.id, texts.map(({ text_outbox }) => text_outbox?.client_message_id ?? null));
  }, [agent.id, conversation.id, texts]);

  const owner = <Owner conversation={conversation} agent={agent} isWriter={isWriter} />;
  const card = <RecruitCard conversation={conversation} isManager={agent.role === "manager"} />;
  return (
    <>
      <section className="thread" aria-labelledby="recruit">
        <div className="thread-head">
          <Link href="/inbox" className="to-list button" title="Inbox">
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
                {owner}
                {card}
              </div>
            </>
          )}
        </div>
        <Shown query={messages} of="texts" skeleton={<Skeleton rows={5} />}>
          {() => (
            <Texts
              texts={texts}
              query={messages}
              conversation={conversation}
              agentId={agent.id}
              name={name}
              isWriter={isWriter}
            >
              <WaitingTexts texts={texts} conversation={conversation} agent={agent} isWriter={isWriter} />
            </Texts>
          )}
        </Shown>
        <Composer conversation={conversation} agent={agent} name={name} isWriter={isWriter} />
      </section>
      {isWide && <aside aria-label="The recruit">{card}</aside>}
    </>
  );
}
