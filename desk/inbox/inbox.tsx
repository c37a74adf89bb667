import { Suspense, useEffect, useRef, useState } from "react";
import { useRoute } from "wouter";
import { forgetDrafts } from "../data/drafts.ts";
import { type Filter, viewsOf } from "../data/inbox.ts";
import type { Agent } from "../data/user.ts";
import { chunk } from "../ui/chunk.ts";
import { Page } from "../ui/page.tsx";
import { viewStands } from "../ui/standing.ts";
import { EmptyState } from "../ui/query_result.tsx";
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
        : (
          <div className="thread">
            <EmptyState title="No conversation is open.">Choose one from the list.</EmptyState>
          </div>
        )}
    </Page>
  );
}
