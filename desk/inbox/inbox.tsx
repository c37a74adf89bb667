import { Suspense, useEffect, useRef, useState } from "react";
import { Link, useRoute } from "wouter";
import { forgetDrafts } from "../data/drafts.ts";
import { type Filter, inboxQueries, viewsOf } from "../data/inbox.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { chunk } from "../ui/chunk.ts";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { viewStands } from "../ui/standing.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { useVisibleHeight } from "../ui/visible_height.ts";
import { addressOf, hrefOf } from "./address.ts";
import { Conversations } from "./conversations.tsx";
import { ThreadSkeleton } from "./thread_skeleton.tsx";

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
        : <NothingOpen agent={agent} filter={{ ...chosen, view, typed: "" }} />}
    </Page>
  );
}

/** Beside a list of which nothing is open: the way to the one who waits longest, which is the first of the queue. */
function NothingOpen({ agent, filter }: { agent: Agent; filter: Filter }) {
  const isQueue = filter.view === "waiting";
  const { data: [first] = [] } = usePages({ ...inboxQueries.list(agent, filter), enabled: isQueue });
  return (
    <div className="thread">
      <EmptyState title="No conversation is open.">
        {isQueue && first
          ? (
            <Link className="button primary" href={hrefOf("waiting", first.id)}>
              Next waiting: <bdi>{first.name || phoneText(first.recruit_phone)}</bdi>
            </Link>
          )
          : "Choose one from the list."}
      </EmptyState>
    </div>
  );
}
