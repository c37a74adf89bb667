import { useQuery } from "@tanstack/react-query";
import Bot from "lucide-react/icons/bot";
import Check from "lucide-react/icons/check";
import Hand from "lucide-react/icons/hand";
import Undo2 from "lucide-react/icons/undo-2";
import { type ReactNode, useState } from "react";
import { agentQueries } from "../data/agents.ts";
import type { Conversation } from "../data/conversation.ts";
import { useAssignConversation, useHandBack, useNeedsNoReply, useNeedsReply } from "../data/conversation_changes.ts";
import type { Agent } from "../data/user.ts";
import { ActionError } from "../ui/action.tsx";
import type { Act } from "../ui/acts.ts";
import { fullName } from "../ui/name.ts";
import { timeText } from "../ui/time.tsx";
import { useKeys } from "./keys.ts";

/** An act that has an icon. */
export type IconAct = Act & {
  icon: NonNullable<Act["icon"]>;
  /** The words of its button, in place of its label. */
  short?: string;
  isRunning?: boolean;
};

/**
 * What changes who answers in a conversation, and whether an answer is needed.
 *
 * @param readUpTo the time of the recruit's latest text on the page
 */
export function useOwnerActs({ conversation, agent, isWriter, isPreview, readUpTo }: {
  conversation: Conversation;
  agent: Agent;
  isWriter: boolean;
  /** Whether keys do nothing: the next moment another conversation may stand in its place. */
  isPreview: boolean;
  readUpTo: string;
}) {
  const { id, status, due_since, is_opted_out, last_sender, last_text_at } = conversation;
  const mayAnswer = isWriter && !is_opted_out;
  const assign = useAssignConversation(id);
  const handBack = useHandBack(id);
  const needsNoReply = useNeedsNoReply(id);
  const needsReply = useNeedsReply(id);
  const [doneAt, setDoneAt] = useState<string | null>(null);
  // An agent has said that no reply is needed: this one, or one of those who may, where the recruit has written last.
  const isDone = due_since === null && !is_opted_out &&
    (doneAt === last_text_at || status === "escalated" && last_sender === "recruit");

  function finish(): void {
    setDoneAt(last_text_at);
    needsNoReply.mutate(readUpTo);
  }

  const done: IconAct | null = !isWriter
    ? null
    : due_since !== null
    ? { label: "No reply needed", short: "Done", icon: Check, keys: "E", run: finish }
    : isDone
    ? { label: "Undo: reply needed", short: "Undo", icon: Undo2, keys: "E", run: () => needsReply.mutate() }
    : null;
  const bot: IconAct | null = !mayAnswer
    ? null
    : status === "bot"
    ? { label: "Take over", icon: Hand, run: () => assign.mutate({ id: agent.id, name: fullName(agent) }) }
    : {
      label: "Hand to bot",
      icon: Bot,
      isRunning: handBack.isPending,
      run: () => handBack.mutate(),
    };

  const give = useOthers(conversation, agent).map((other) => ({
    name: <bdi>{other.name}</bdi>,
    run: () => assign.mutate(other),
  }));

  useKeys(agent.id, isPreview ? {} : { e: () => void done?.run() });
  return { done, bot, give, mutations: [assign, handBack, needsNoReply, needsReply] };
}

/** The button of an act: an icon, with its words where there is room, or always where it `isNamed`. */
export function ActButton(
  { act: { label, short = label, icon: Icon, keys, isRunning, run }, isNamed }: { act: IconAct; isNamed?: boolean },
) {
  return (
    <button
      type="button"
      className={isNamed ? undefined : "plain"}
      aria-label={label.startsWith(short) ? label : `${short}: ${label}`}
      title={keys ? `${label} (${keys})` : label}
      aria-disabled={isRunning}
      onClick={() => void run()}
    >
      <Icon size={18} />
      <span className={isNamed ? undefined : "from-wide"}>{short}</span>
    </button>
  );
}

/** The problems of what the user did. Not beside a button, which goes before the service has agreed. */
export function OwnerProblems({ mutations }: { mutations: { error: Error | null }[] }) {
  return mutations.map((mutation, place) => <ActionError key={place} action={mutation} />);
}

/** The words for who answers, and until when nobody has to. */
export function OwnerText({ conversation, agent: { id } }: { conversation: Conversation; agent: Agent }): ReactNode {
  const { snoozed_until, is_due } = conversation;
  return (
    <>
      {ownerText(conversation, id)}
      {snoozed_until !== null && (is_due ? " Snoozed until now." : ` Snoozed until ${timeText(snoozed_until)}.`)}
    </>
  );
}

function ownerText({ status, has_bot, assigned_agent_id, agent_id, agent }: Conversation, id: string): ReactNode {
  if (has_bot) return "The bot answers.";
  if (status === "escalated" && assigned_agent_id === id) return "Assigned to you";
  if (agent_id === id) return "The bot is silent. You are notified of each text.";
  return agent === null ? "Nobody answers yet." : (
    <>
      Assigned to <bdi>{agent}</bdi>
    </>
  );
}

/** Those to whom a manager may give the conversation. */
function useOthers({ agent_id }: Conversation, { agency_id, role }: Agent) {
  const { data: agents = [] } = useQuery({ ...agentQueries.active(agency_id), enabled: role === "manager" });
  return role === "manager" ? agents.filter(({ id }) => id !== agent_id) : [];
}
