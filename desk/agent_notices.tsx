import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useAssignConversation } from "./data/conversation_changes.ts";
import { moreText, type Notice, noticeQueries, useReadNotice } from "./data/notices.ts";
import { useOutbox } from "./data/outbox.ts";
import type { Agent } from "./data/user.ts";
import { ActionButton, ActionError } from "./ui/action.tsx";

const NONE = { notices: [], hasMore: false };

/**
 * The notices of an agent, above every view: whose a conversation is now, who asks for one, who waits, and what is not
 * sent.
 */
export function AgentNotices({ agent }: { agent: Agent }) {
  const { data: { notices, hasMore } = NONE } = useQuery(noticeQueries.unread(agent.id));
  const read = useReadNotice(agent.id);
  const { texts } = useOutbox();
  const asked = texts.find(({ question }) => question !== null);
  return (
    <>
      {notices.map((notice) => <NoticeLine key={notice.id} notice={notice} read={read.mutateAsync} />)}
      {hasMore && <p>There are more. They stand here when you have read these.</p>}
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

function NoticeLine({ notice, read }: { notice: Notice; read: (id: string) => Promise<unknown> }) {
  const { id, kind, conversation_id, by, by_agent_id } = notice;
  const assign = useAssignConversation(conversation_id);
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

function textOf({ kind, by, recruit, others }: Notice): ReactNode {
  if (kind === "recruit_waiting") {
    return (
      <>
        <bdi>{recruit || "A recruit"}</bdi> is waiting for an answer.
      </>
    );
  }
  const which = recruit === null ? "a conversation of yours" : (
    <>
      the conversation with <bdi>{recruit}</bdi>
    </>
  );
  return (
    <>
      <bdi>{by}</bdi> {kind === "taken_over" ? <>has {which}{moreText(others)} now.</> : <>asks for {which}.</>}
    </>
  );
}
