import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type SubmitEvent, useState } from "react";
import { agentQueries } from "../data/agents.ts";
import type { Conversation } from "../data/conversation.ts";
import { useAssignConversation, useHandBack, useNeedsNoReply, useNeedsReply } from "../data/conversation_changes.ts";
import type { Agent } from "../data/user.ts";
import { ActionError } from "../ui/action.tsx";
import { fullName } from "../ui/name.ts";
import { useKeys } from "./keys.ts";
import { SnoozeButton } from "./snooze.tsx";

/** The buttons that change who answers in a conversation, and when. */
export function OwnerActions({ conversation, agent, isWriter, readUpTo }: {
  conversation: Conversation;
  agent: Agent;
  isWriter: boolean;
  /** The time of the recruit's latest text on the page. */
  readUpTo: string;
}) {
  const { id, status, due_since, is_opted_out, last_direction, last_text_at } = conversation;
  const mayAnswer = isWriter && !is_opted_out;
  const assign = useAssignConversation(id);
  const handBack = useHandBack(id);
  const needsNoReply = useNeedsNoReply(id);
  const needsReply = useNeedsReply(id);
  const [doneAt, setDoneAt] = useState<string | null>(null);
  // An agent has said that no reply is needed: this one, or one of those who may, where the recruit has written last.
  const isDone = due_since === null && !is_opted_out &&
    (doneAt === last_text_at || status === "escalated" && last_direction === "inbound");

  function finish(): void {
    setDoneAt(last_text_at);
    needsNoReply.mutate(readUpTo);
  }

  useKeys(agent.id, {
    e: () => {
      if (!isWriter) return;
      if (due_since !== null) finish();
      else if (isDone) needsReply.mutate();
    },
  });
  return (
    <div className="owner buttons">
      {mayAnswer && status === "bot" && (
        <button
          type="button"
          onClick={() => assign.mutate({ id: agent.id, name: fullName(agent) })}
        >
          Take over
        </button>
      )}
      {mayAnswer && status === "escalated" && (
        <button
          type="button"
          aria-disabled={handBack.isPending}
          onClick={() => handBack.mutate()}
        >
          Hand back to the bot
        </button>
      )}
      {isWriter && due_since !== null && <button type="button" onClick={finish}>No reply needed</button>}
      {isWriter && isDone && <button type="button" onClick={() => needsReply.mutate()}>Undo: reply needed</button>}
      {isWriter && <SnoozeButton conversation={conversation} readUpTo={readUpTo} />}
      {agent.role === "manager" && <Reassign conversation={conversation} agent={agent} assign={assign} />}
      {/* Not beside a button, which goes before the service has agreed. */}
      {[assign, handBack, needsNoReply, needsReply].map((mutation, place) => (
        <ActionError key={place} action={mutation} />
      ))}
    </div>
  );
}

/** The words for who answers. */
export function ownerText(
  { status, hasBot, assigned_agent_id, agent_id, agent }: Conversation,
  { id }: Agent,
): ReactNode {
  if (hasBot) return "The bot answers.";
  if (status === "escalated" && assigned_agent_id === id) return "You answer.";
  if (agent_id === id) return "The bot is silent. You are told of each text.";
  return agent === null ? "Nobody answers yet." : (
    <>
      <bdi>{agent}</bdi> answers.
    </>
  );
}

function Reassign({ conversation: { agent_id }, agent, assign }: {
  conversation: Conversation;
  agent: Agent;
  assign: ReturnType<typeof useAssignConversation>;
}) {
  const { data: agents = [] } = useQuery(agentQueries.active(agent.agency_id));
  const [chosen, setChosen] = useState("");

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    const other = agents.find(({ id }) => id === chosen);
    if (other === undefined) return;
    assign.mutate(other);
    setChosen("");
  }

  return (
    <form className="buttons" onSubmit={submit}>
      <select aria-label="Give it to" value={chosen} onChange={(event) => setChosen(event.target.value)}>
        <option value="">Give it to…</option>
        {agents.filter((other) => other.id !== agent_id).map(({ id, name }) => (
          <option key={id} value={id}>{name}</option>
        ))}
      </select>
      <button type="submit" aria-disabled={chosen === ""}>Reassign</button>
    </form>
  );
}
