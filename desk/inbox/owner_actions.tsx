import { type ReactNode, type SubmitEvent, useState } from "react";
import { useActiveAgents } from "../data/agents.ts";
import { assignConversation, type Conversation, handBack, needsNoReply } from "../data/conversation.ts";
import type { Agent } from "../data/user.ts";
import { ActionButton, ActionError, useAction } from "../ui/action.tsx";

/** What changes who answers in a conversation. */
export function OwnerActions(
  { conversation, agent, isWriter }: { conversation: Conversation; agent: Agent; isWriter: boolean },
) {
  const { id, status, waiting_since, is_opted_out } = conversation;
  const mayAnswer = isWriter && !is_opted_out;
  return (
    <div className="owner buttons">
      {mayAnswer && status === "bot" && (
        <ActionButton act={() => assignConversation(id, agent.id)}>Take over</ActionButton>
      )}
      {mayAnswer && status === "escalated" && (
        <ActionButton act={() => handBack(id)}>
          Hand back to the bot
        </ActionButton>
      )}
      {isWriter && waiting_since !== null && <ActionButton act={() => needsNoReply(id)}>No reply needed</ActionButton>}
      {agent.role === "manager" && <Reassign conversation={conversation} agent={agent} />}
    </div>
  );
}

/** Who answers, in words. */
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

function Reassign({ conversation: { id, agent_id }, agent }: { conversation: Conversation; agent: Agent }) {
  const { data: agents = [] } = useActiveAgents(agent);
  const [chosen, setChosen] = useState("");
  const action = useAction(async () => {
    await assignConversation(id, chosen);
    setChosen("");
  });

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (chosen !== "") void action.run();
  }

  return (
    <form className="buttons" onSubmit={submit}>
      <select aria-label="Give it to" value={chosen} onChange={(event) => setChosen(event.target.value)}>
        <option value="">Give it to…</option>
        {agents.filter((other) => other.id !== agent_id).map(({ id, name }) => (
          <option key={id} value={id}>{name}</option>
        ))}
      </select>
      <button type="submit" aria-disabled={action.isRunning || chosen === ""}>Reassign</button>
      <ActionError action={action} />
    </form>
  );
}
