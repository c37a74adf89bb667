import Check from "lucide-react/icons/check";
import { Link } from "wouter";
import { useAssignConversation } from "../data/conversation_changes.ts";
import { isNotice, nameOf, type Notification, useReadNotification } from "../data/notifications.ts";
import type { Agent } from "../data/user.ts";
import { ActionButton, ActionError } from "../ui/action.tsx";
import { botReason } from "../ui/bot_reasons.ts";
import { countText } from "../ui/count.ts";
import { DotSeparated } from "../ui/dot_separated.tsx";
import { IconButton } from "../ui/icon_button.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { ago } from "../ui/time.tsx";
import { pathOf, sentenceOf } from "./sentences.ts";

/** What an agent has not read: who may be in danger first, then what asks for something, then the rest. */
export function BellList({ agent, unread }: { agent: Agent; unread: Notification[] }) {
  const read = useReadNotification(agent.id);
  const rank = (one: Notification) => one.urgent ? 0 : isNotice(one) ? 1 : 2;
  const sorted = unread.toSorted((one, other) => rank(one) - rank(other));
  // What is urgent is read one by one.
  const others = sorted.filter(({ urgent }) => !urgent).map(({ id }) => id);
  return (
    <>
      {others.length > 1 && (
        <div className="bell-head">
          <strong>{countText(sorted.length)} unread</strong>
          <button type="button" className="link" onClick={() => read.mutate(others)}>Mark all as read</button>
        </div>
      )}
      {/* Not in the line, which goes before the service has agreed. */}
      <ActionError action={read} />
      {sorted.length === 0 ? <EmptyState title="Nothing is new." /> : (
        <ul>
          {sorted.map((one) => (
            <BellRow
              key={one.id}
              notification={one}
              agent={agent}
              read={(id) => read.mutateAsync([id])}
            />
          ))}
        </ul>
      )}
    </>
  );
}

function BellRow({ notification, agent, read }: {
  notification: Notification;
  agent: Agent;
  read: (id: string) => Promise<unknown>;
}) {
  const { id, kind, reason, urgent, conversation_id, by_agent_id, recruit, hasNoAgent, created_at } = notification;
  const by = nameOf(notification.by);
  const assign = useAssignConversation(conversation_id!);
  const markRead = () => void read(id).catch(() => {});
  return (
    <li className={urgent ? "is-bad" : undefined}>
      <Link href={pathOf(notification)} onClick={markRead} dir="auto">
        {sentenceOf({ ...notification, recruit: recruit && { first_name: nameOf(recruit), last_name: null } })}
        <small>
          <DotSeparated>
            {kind === "handoff" && !urgent && reason !== null && reason !== "assigned" && botReason(reason)}
            {kind === "lead" && reason === "came_again" && "came again"}
            {agent.role === "manager" && hasNoAgent && "no agent, so it came to you"}
          </DotSeparated>
        </small>
      </Link>
      <time dateTime={created_at}>{ago(created_at)}</time>
      <span className="buttons">
        {kind === "asked_for" && by_agent_id !== null && (
          <ActionButton act={() => assign.mutateAsync({ id: by_agent_id, name: by }).then(() => read(id))}>
            Give it to <bdi>{by}</bdi>
          </ActionButton>
        )}
        <IconButton icon={Check} label="OK" onClick={markRead} />
      </span>
    </li>
  );
}
