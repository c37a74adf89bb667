import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAssignConversation } from "./data/conversation_changes.ts";
import {
  isNotice,
  moreText,
  nameOf,
  type Notification,
  notificationQueries,
  useReadNotification,
} from "./data/notifications.ts";
import { useOutbox } from "./data/outbox.ts";
import { sentenceOf } from "./notifications/sentences.ts";
import type { Agent } from "./data/user.ts";
import { ActionButton, ActionError } from "./ui/action.tsx";

/** More than these are shown when some of them are read. */
const MOST = 3;

/**
 * The notices of an agent, above every view: who may be in danger, whose a conversation is now, who asks for one, who waits, and what is not
 * sent.
 */
export function AgentNotices({ agent }: { agent: Agent }) {
  const { data: unread = [] } = useQuery(notificationQueries.unread(agent.id));
  const notices = unread.filter(isNotice).sort((one, other) => Number(other.urgent) - Number(one.urgent));
  const read = useReadNotification(agent.id);
  const { texts } = useOutbox();
  const asked = texts.find(({ question }) => question !== null);
  return (
    <>
      {notices.slice(0, MOST).map((notice) => <NoticeLine key={notice.id} notice={notice} read={read.mutateAsync} />)}
      {notices.length > MOST && <p>There are more. They stand here when you have read these.</p>}
      {/* Not in the line, which goes before the service has agreed. */}
      <ActionError action={read} />
      {asked && (
        <p>
          A text is not sent yet, and waits for your answer.{" "}
          <Link href={`/inbox/${asked.conversation_id}`}>See the text</Link>
        </p>
      )}
    </>
  );
}

function NoticeLine({ notice, read }: { notice: Notification; read: (id: string) => Promise<unknown> }) {
  const { id, kind, conversation_id, by_agent_id } = notice;
  const by = nameOf(notice.by);
  const assign = useAssignConversation(conversation_id!);
  return (
    <p>
      {textOf(notice)}{" "}
      <Link href={`/inbox/${conversation_id}`} onClick={() => void read(id).catch(() => {})}>Open</Link>{" "}
      {kind === "asked_for" && by_agent_id !== null && (
        <ActionButton act={() => assign.mutateAsync({ id: by_agent_id, name: by }).then(() => read(id))}>
          Give it to <bdi>{by}</bdi>
        </ActionButton>
      )} <button type="button" onClick={() => void read(id).catch(() => {})}>OK</button>
    </p>
  );
}

function textOf(notice: Notification): ReactNode {
  const { kind, urgent, by, recruit, others } = notice;
  if (urgent) return <span dir="auto">{sentenceOf(notice)}</span>;
  if (kind === "recruit_waiting") {
    return (
      <>
        <bdi>{nameOf(recruit) || "A recruit"}</bdi> is waiting for an answer.
      </>
    );
  }
  const which = recruit === null ? "a conversation of yours" : (
    <>
      the conversation with <bdi>{nameOf(recruit)}</bdi>
    </>
  );
  return (
    <>
      <bdi>{nameOf(by)}</bdi> {kind === "taken_over" ? <>has {which}{moreText(others)} now.</> : <>asks for {which}.</>}
    </>
  );
}
