import { Link } from "wouter";
import { assignConversation } from "./data/conversation.ts";
import { type Notice, readNotice, useNotices } from "./data/notices.ts";
import { useOutbox } from "./data/outbox.ts";
import type { Agent } from "./data/user.ts";
import { ActionButton } from "./ui/action.tsx";

/** The notices of an agent, above every view: whose a conversation is now, who asks for one, what is not sent. */
export function AgentNotices({ agent }: { agent: Agent }) {
  const { data: notices = [] } = useNotices(agent.id);
  const { texts } = useOutbox();
  const asked = texts.find(({ question }) => question !== null);
  return (
    <>
      {notices.map((notice) => <NoticeLine key={notice.id} notice={notice} />)}
      {asked && (
        <p>
          A text is not sent yet, and waits for your answer.{" "}
          <Link href={`/inbox/${asked.conversation_id}`}>See the text</Link>
        </p>
      )}
    </>
  );
}

function NoticeLine({ notice: { id, kind, conversation_id, by, by_agent_id, recruit } }: { notice: Notice }) {
  const which = recruit === null ? "a conversation of yours" : `the conversation with ${recruit}`;
  return (
    <p>
      {kind === "taken_over" ? `${by} has ${which} now.` : `${by} asks for ${which}.`}{" "}
      <Link href={`/inbox/${conversation_id}`} onClick={() => void readNotice(id).catch(() => {})}>Open</Link>{" "}
      {kind === "asked_for" && (
        <ActionButton act={() => assignConversation(conversation_id, by_agent_id).then(() => readNotice(id))}>
          Give it to {by}
        </ActionButton>
      )} <ActionButton act={() => readNotice(id)}>OK</ActionButton>
    </p>
  );
}
