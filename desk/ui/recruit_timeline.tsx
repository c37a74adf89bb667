import Bot from "lucide-react/icons/bot";
import Flag from "lucide-react/icons/flag";
import Inbox from "lucide-react/icons/inbox";
import MessageSquare from "lucide-react/icons/message-square";
import Phone from "lucide-react/icons/phone";
import Send from "lucide-react/icons/send";
import StickyNote from "lucide-react/icons/sticky-note";
import UserCheck from "lucide-react/icons/user-check";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { usePages } from "../data/pages.ts";
import {
  type Outcome,
  OUTCOMES,
  type RecruitEvent,
  type TextOut,
  timelineQueries,
  useRecordCall,
} from "../data/timeline.ts";
import { ActionError } from "./action.tsx";
import { botReason, heardWords } from "./bot_reasons.ts";
import { countOf } from "./count.ts";
import { answerOf, labelOf } from "./json_value.tsx";
import { LoadMoreButton } from "./load_more_button.tsx";
import { QueryResult, Skeleton } from "./query_result.tsx";
import { reasonOf, whyNeverQueued } from "./text_reasons.ts";
import { dayText, Time, ZoneInTitle } from "./time.tsx";
import type { Icon } from "./icon_button.tsx";

type Text = Extract<RecruitEvent, { kind: "text_in" | "text_out" }>;
type Hands = Extract<RecruitEvent, { kind: "hands" }>;

const ICONS: Record<Exclude<RecruitEvent, Text>["kind"], Icon> = {
  received: Inbox,
  distributed: UserCheck,
  never_queued: MessageSquare,
  consent: Flag,
  bot_ended: Bot,
  answer: Bot,
  note: StickyNote,
  stage: Flag,
  call: Phone,
  hands: UserCheck,
  given: UserCheck,
};

/** All that has happened with a recruit of that first name, the latest first. `besides` is a conversation whose texts stand beside it, with the facts. */
export function RecruitTimeline({ id, name, besides }: { id: string; name: string; besides?: string }) {
  const query = usePages(timelineQueries.list(id, besides));
  const calls = useRecordCall(id);
  return (
    <section className="timeline">
      <h2>Timeline</h2>
      <QueryResult query={query} resource="timeline" skeleton={<Skeleton rows={4} />}>
        {(all) => (
          <ZoneInTitle value>
            <ActionError action={calls} />
            {daysOf(all).map(([day, events]) => (
              <section key={day}>
                <h3>{day}</h3>
                <ol>
                  {events.map((event) =>
                    event.kind === "text_in" || event.kind === "text_out"
                      ? <Text key={event.id} event={event} name={name} isLatest={event === latestOfOurs(all)} />
                      : <Event key={event.id} event={event} name={name} onCall={calls.mutate} />
                  )}
                </ol>
              </section>
            ))}
            <LoadMoreButton query={query} />
          </ZoneInTitle>
        )}
      </QueryResult>
    </section>
  );
}

function latestOfOurs(events: RecruitEvent[]): RecruitEvent | undefined {
  return events.find(({ kind }) => kind === "text_out");
}

/** The events by their days, in their order. */
function daysOf(events: RecruitEvent[]): [string, RecruitEvent[]][] {
  return [...Map.groupBy(events, ({ at }) => dayText(at))];
}

/** A text, whose time links to its conversation. Only the latest text of the agency says that it was delivered. */
function Text({ event, name, isLatest }: { event: Text; name: string; isLatest: boolean }) {
  const { kind, agent, at, details: { conversation_id, body, files } } = event;
  const by = kind === "text_in" ? "recruit" : event.details.by;
  const Icon = by === "recruit" ? MessageSquare : by === "bot" ? Bot : Send;
  return (
    <li className={`is-text is-${by}`}>
      <Icon size={16} />
      <div>
        <p>
          {by === "recruit" ? <bdi>{name}</bdi> : by === "bot" ? "The bot" : <bdi>{agent ?? "An agent"}</bdi>} wrote
        </p>
        {body && <p className="words" dir="auto">{body}</p>}
        {files > 0 && <p className="quiet">{countOf(files, "file", "files")}</p>}
        {kind === "text_in" && event.details.heard !== null && event.details.heard !== "answer" && (
          <p className="quiet">{heardWords(event.details.heard)}</p>
        )}
        {kind === "text_out" && (isLatest || event.details.state !== "delivered") && (
          <p className={["failed", "refused"].includes(event.details.state) ? "problem" : "quiet"}>
            {stateWords(event.details)}
          </p>
        )}
      </div>
      <Link href={`/inbox/${conversation_id}`}>
        <Time at={at} isDayKnown />
      </Link>
    </li>
  );
}

function Event({ event, name, onCall }: {
  event: Exclude<RecruitEvent, Text>;
  name: string;
  onCall: (call: { call_id: string; outcome: Outcome }) => void;
}) {
  const Icon = ICONS[event.kind];
  return (
    <li className={`is-${event.kind}`}>
      <Icon size={16} />
      <span>
        {wordsFor(event, name)}
        {event.kind === "call" && (
          <select
            aria-label="How the call went"
            value={event.details.outcome ?? ""}
            onChange={({ target }) => onCall({ call_id: event.details.call_id, outcome: target.value as Outcome })}
          >
            <option value="" disabled>How did it go?</option>
            {OUTCOMES.map((outcome) => <option key={outcome} value={outcome}>{labelOf(outcome)}</option>)}
          </select>
        )}
      </span>
      <Time at={event.at} isDayKnown />
    </li>
  );
}

function wordsFor(event: Exclude<RecruitEvent, Text>, name: string): ReactNode {
  const by = <bdi>{event.agent ?? "The bot"}</bdi>;
  switch (event.kind) {
    case "received":
      return "Received from the vendor";
    case "distributed":
      return "Sent to the agency";
    case "never_queued":
      return <>Not greeted: {whyNeverQueued(event.details.reason)}</>;
    case "consent":
      return (
        <>
          {event.details.state === "opted_out" ? "Opted out of texts" : "Opted in to texts"}
          {event.agent !== null && <>, recorded by {by}</>}
          {event.details.reason !== null && <>: {event.details.reason}</>}
        </>
      );
    case "bot_ended":
      return <>The bot ended: {botReason(event.details.reason)}</>;
    case "answer":
      return <>{labelOf(event.details.question)}: {answerOf(event.details.value)}, said to the bot</>;
    case "note":
      return (
        <>
          {by} noted: <span className="words">{event.details.body}</span>
        </>
      );
    case "stage":
      return <>{by} set the stage: {labelOf(event.details.stage)}</>;
    case "call":
      return <>{by} dialled</>;
    case "hands":
      return handsWords(event);
    case "given":
      return (
        <>
          <bdi>{name}</bdi> went to <bdi>{event.details.to ?? "the agency"}</bdi>
          {fromWords(event.details.from)}
        </>
      );
  }
}

/** How far one of our texts has come, since when, and why. */
function stateWords({ state, state_at, reason, until }: TextOut): ReactNode {
  const at = state_at !== null && (
    <>
      {" "}
      <Time at={state_at} />
    </>
  );
  switch (state) {
    case "held":
      return (
        <>
          Held{until !== null && until !== "infinity" && (
            <>
              {" "}until <Time at={until} />
            </>
          )}: {reasonOf(reason)}
        </>
      );
    case "due":
      return "Waits to be sent";
    case "unconfirmed":
      return <>Perhaps sent{at}: the provider has not confirmed it</>;
    case "refused":
      return <>Not sent{at}: {reasonOf(reason)}</>;
    case "failed":
      return <>Failed{at}: {reasonOf(reason)}</>;
    case "sending":
      return <>Being sent{at}</>;
    case "sent":
      return <>Sent{at}</>;
    case "delivered":
      return "Delivered";
  }
}

/** Who has the conversation from then on, and who did it. */
function handsWords(
  { agent, agent_id, details: { status, from, from_agent_id, to, to_agent_id, reason } }: Hands,
): ReactNode {
  const by = <bdi>{agent}</bdi>;
  if (status === "bot") {
    return agent_id === null ? "The conversation went to the bot" : <>{by} handed the conversation to the bot</>;
  }
  const wasTheirs = from_agent_id === to_agent_id || from_agent_id === agent_id;
  const before = wasTheirs ? null : fromWords(from);
  if (agent_id === null) {
    return (
      <>
        The conversation went to <bdi>{to}</bdi>
        {before}
        {reason !== null && <>: {botReason(reason)}</>}
      </>
    );
  }
  if (agent_id === to_agent_id) return <>{by} took the conversation over{before}</>;
  return (
    <>
      {by} gave the conversation to <bdi>{to}</bdi>
      {before}
    </>
  );
}

function fromWords(from: string | null): ReactNode {
  return from !== null && (
    <>
      , from <bdi>{from}</bdi>
    </>
  );
}
