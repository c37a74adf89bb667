import Check from "lucide-react/icons/check";
import { Link } from "wouter";
import { useAssignConversation } from "../data/conversation_changes.ts";
import { isNotice, nameOf, type Notification, useReadNotification } from "../data/notifications.ts";
import type { Agent } from "../data/user.ts";
import { ActionButton, ActionError } from "../ui/action.tsx";
import { countText } from "../ui/count.ts";
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
          {sorted.map((one) => <BellRow key={one.id} notification={one} read={(id) => read.mutateAsync([id])} />)}
        </ul>
      )}
    </>
  );
}

function BellRow({ notification, read }: { notification: Notification; read: (id: string) => Promise<unknown> }) {
  const { id, kind, urgent, conversation_id, by_agent_id, created_at } = notification;
  const by = nameOf(notification.by);
  const assign = useAssignConversation(conversation_id!);
  const markRead = () => void read(id).catch(() => {});
  return (
    <li className={urgent ? "is-bad" : undefined}>
      <span dir="auto">{sentenceOf(notification)}</span>
      <time dateTime={created_at}>{ago(created_at)}</time>
      <span className="buttons">
        <Link className="button" href={pathOf(notification)} onClick={markRead}>Open</Link>
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
