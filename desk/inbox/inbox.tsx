import MessageSquare from "lucide-react/icons/message-square";
import { Fragment, Suspense, useEffect, useRef, useState } from "react";
import { Link, useRoute } from "wouter";
import { forgetDrafts } from "../data/drafts.ts";
import { type Filter, inboxQueries, type InboxRow, viewsOf } from "../data/inbox.ts";
import { messageQueries } from "../data/messages.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { Badge } from "../ui/badge.tsx";
import { Bubble, writerOf } from "../ui/bubble.tsx";
import { chunk } from "../ui/chunk.ts";
import { countOf } from "../ui/count.ts";
import { useIsPhone } from "../ui/is_wide.ts";
import { latenessOf, waitText } from "../ui/lateness.ts";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { QueryResult, Skeleton } from "../ui/query_result.tsx";
import { viewStands } from "../ui/standing.ts";
import { useMinute } from "../ui/time.tsx";
import { useVisibleHeight } from "../ui/visible_height.ts";
import { addressOf, hrefOf } from "./address.ts";
import { Conversations } from "./conversations.tsx";
import { useAreKeysOn } from "./keys.ts";
import { ThreadSkeleton } from "./thread_skeleton.tsx";
import { timelineOf } from "./timeline.ts";

const OpenConversation = chunk(async () => (await import("./open_conversation.tsx")).OpenConversation);

/** The conversations beside the one that is open. A phone shows one of both. */
export function Inbox({ agent }: { agent: Agent }) {
  const [, parameters] = useRoute("/inbox/:first?/:second?");
  const { view: asked, id } = addressOf(parameters?.first, parameters?.second);
  const view = viewsOf(agent).includes(asked) ? asked : "waiting";
  const [chosen, setChosen] = useState<Omit<Filter, "view">>(() => ({
    isUnread: false,
    typed: "",
    // A link to what waits for one agent names the agent.
    agentId: (history.state as { agentId?: string } | null)?.agentId ?? null,
  }));
  const isOpen = id !== undefined;
  const isPhone = useIsPhone();
  useVisibleHeight();
  useEffect(() => void viewStands().then(OpenConversation.preload), []);
  useEffect(() => forgetDrafts(agent.id), [agent.id]);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    // The element with the focus is gone.
    if (wasOpen.current && !isOpen) document.querySelector<HTMLElement>("#main h1")?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <Page title="Inbox" isTitleHidden className={isOpen ? "inbox is-open" : "inbox"}>
      <Conversations agent={agent} filter={{ ...chosen, view }} setFilter={setChosen} openId={id} />
      {isOpen
        ? (
          <Suspense fallback={<ThreadSkeleton />}>
            <OpenConversation key={id} id={id} agent={agent} view={view} />
          </Suspense>
        )
        : !isPhone && <NothingOpen agent={agent} filter={{ ...chosen, view, typed: "" }} />}
    </Page>
  );
}

/** Beside a list of which nothing is open: the one who waits longest, who is the first of the queue. */
function NothingOpen({ agent, filter }: { agent: Agent; filter: Filter }) {
  const isQueue = filter.view === "waiting";
  const { data = [], hasNextPage } = usePages({ ...inboxQueries.list(agent, filter), enabled: isQueue });
  const first = isQueue ? data[0] : undefined;
  return (
    <div className="thread">
      {first ? <Next row={first} agent={agent} others={data.length - 1} hasMore={hasNextPage} /> : (
        <p className="state">
          <MessageSquare size={24} /> No conversation is open.
        </p>
      )}
    </div>
  );
}

/** The latest texts of a conversation, and the way into it. Only there they count as read. */
function Next({ row, agent, others, hasMore }: { row: InboxRow; agent: Agent; others: number; hasMore: boolean }) {
  const { id, waiting_since } = row;
  const name = row.name || phoneText(row.recruit_phone);
  const messages = usePages(messageQueries.list(id));
  const [areKeysOn] = useAreKeysOn(agent.id);
  useMinute();
  return (
    <>
      <div className="thread-head">
        <div className="who">
          <h2>
            <bdi>{name}</bdi>
          </h2>
          <p className="quiet">
            {others === 0
              ? "Nobody else waits"
              : hasMore
              ? `${others}+ more wait`
              : countOf(others, "more waits", "more wait")}
          </p>
        </div>
        {waiting_since !== null && <Badge meaning={latenessOf(waiting_since)}>{waitText(waiting_since)}</Badge>}
      </div>
      <QueryResult query={messages} resource="texts" skeleton={<Skeleton rows={5} />}>
        {(texts) => (
          <div className="texts">
            <div className="texts-scroll">
              <ol>
                {timelineOf(texts.toReversed(), [], messages.hasNextPage).map(({ id, day, isFirst, text }) =>
                  text && (
                    <Fragment key={id}>
                      {day !== null && <li className="day quiet">{day}</li>}
                      <Bubble
                        by={text.sender_type}
                        writer={writerOf(text, name, agent.id)}
                        at={text.created_at}
                        isFirst={isFirst}
                        body={text.body}
                      >
                        {text.media.length > 0 && (
                          <p className="quiet">{countOf(text.media.length, "file", "files")}</p>
                        )}
                      </Bubble>
                    </Fragment>
                  )
                )}
              </ol>
            </div>
          </div>
        )}
      </QueryResult>
      <div className="compose">
        <p className="quiet">Open the conversation to answer</p>
        {areKeysOn && <kbd>J</kbd>}
        <Link className="button primary" href={hrefOf("waiting", id)} state={{ isWriting: true }}>Open</Link>
      </div>
    </>
  );
}
