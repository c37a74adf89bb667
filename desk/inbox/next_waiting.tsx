import SkipForward from "lucide-react/icons/skip-forward";
import { Link, useLocation } from "wouter";
import type { Conversation } from "../data/conversation.ts";
import { inboxQueries } from "../data/inbox.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { useOfferedActs } from "../ui/acts.ts";
import { phoneText } from "../ui/phone.ts";
import { hrefOf } from "./address.ts";

const KEYS = "Ctrl Shift Enter";

/** The recruit who waits longest, but for this one. */
export function useNextWaiting({ id }: Conversation, agent: Agent) {
  const { data: waiting = [] } = usePages(inboxQueries.next(agent));
  const [, navigate] = useLocation();
  const next = waiting.find((one) => one.id !== id);
  if (next === undefined) return null;
  const href = hrefOf("waiting", next.id);
  return {
    href,
    name: next.name || phoneText(next.recruit_phone),
    /** Opens the conversation, with the focus in its box. */
    open: () => navigate(href, { state: { isWriting: true } }),
  };
}

/** The way to the one who waits longest, once this one waits no more. */
export function NextWaiting({ conversation, next }: {
  conversation: Conversation;
  next: NonNullable<ReturnType<typeof useNextWaiting>>;
}) {
  useOfferedActs([{ label: `Next waiting: ${next.name}`, icon: SkipForward, keys: KEYS, run: next.open }]);
  if (conversation.is_due) return null;
  return (
    <Link className="button next" href={next.href} title={KEYS}>
      Next waiting: <bdi>{next.name}</bdi>
    </Link>
  );
}
