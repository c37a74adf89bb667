import MessageSquare from "lucide-react/icons/message-square";
import { Suspense, useEffect, useRef, useState } from "react";
import { useRoute } from "wouter";
import { forgetDrafts } from "../data/drafts.ts";
import { type Filter, inboxQueries, viewsOf } from "../data/inbox.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { chunk } from "../ui/chunk.ts";
import { useIsPhone } from "../ui/is_wide.ts";
import { Page } from "../ui/page.tsx";
import { viewStands } from "../ui/standing.ts";
import { useVisibleHeight } from "../ui/visible_height.ts";
import { addressOf } from "./address.ts";
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
  const filter = { ...chosen, view };
  const isPhone = useIsPhone();
  // Beside the queue, as long as nothing is open, stands the conversation of the recruit who waits longest.
  const isPreview = !isPhone && !isOpen && view === "waiting";
  const queue = usePages({ ...inboxQueries.list(agent, { ...filter, typed: "" }), enabled: isPreview });
  const [isReady, setReady] = useState(false);
  // As long as the queue is read, the rows are those of another list.
  const isLoading = isPreview && (queue.isPending || queue.isPlaceholderData);
  const shownId = !isPreview ? id : isLoading ? undefined : queue.data?.[0]?.id;
  useVisibleHeight();
  useEffect(() =>
    void viewStands().then(() => {
      OpenConversation.preload();
      setReady(true);
    }), []);
  useEffect(() => forgetDrafts(agent.id), [agent.id]);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    // The element with the focus is gone.
    if (wasOpen.current && !isOpen) document.querySelector<HTMLElement>("#main h1")?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <Page title="Inbox" isTitleHidden className={isOpen ? "inbox is-open" : "inbox"}>
      <Conversations agent={agent} filter={filter} setFilter={setChosen} openId={id} shownId={shownId} />
      {shownId !== undefined && (isOpen || isReady)
        ? (
          <Suspense fallback={<ThreadSkeleton />}>
            <OpenConversation key={shownId} id={shownId} agent={agent} view={view} isPreview={isPreview} />
          </Suspense>
        )
        : !isPhone && <NothingOpen isLoading={isLoading || shownId !== undefined} />}
    </Page>
  );
}

function NothingOpen({ isLoading }: { isLoading: boolean }) {
  if (isLoading) return <ThreadSkeleton />;
  return (
    <div className="thread">
      <p className="state">
        <MessageSquare size={24} /> No conversation is open.
      </p>
    </div>
  );
}
