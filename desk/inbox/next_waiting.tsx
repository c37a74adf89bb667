import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Conversation } from "../data/conversation.ts";
import { inboxQueries } from "../data/inbox.ts";
import type { Agent } from "../data/user.ts";
import { phoneText } from "../ui/phone.ts";
import { hrefOf } from "./address.ts";

/** The way to the one who waits longest, once this one waits no more. */
export function NextWaiting({ conversation, agent }: { conversation: Conversation; agent: Agent }) {
  const { data: waiting = [] } = useQuery(inboxQueries.next(agent));
  const next = waiting.find(({ id }) => id !== conversation.id);
  if (conversation.is_due || next === undefined) return null;
  return (
    <Link className="button next" href={hrefOf("waiting", next.id)}>
      Next waiting: <bdi>{next.name || phoneText(next.recruit_phone)}</bdi>
    </Link>
  );
}
