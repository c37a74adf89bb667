import type { ReactNode } from "react";
import { Link } from "wouter";
import { usePages } from "../data/pages.ts";
import { type Outcome, OUTCOMES, type RecruitEvent, timelineQueries, useRecordCall } from "../data/timeline.ts";
import { ActionError } from "./action.tsx";
import { labelOf, wordsOf } from "./json_value.tsx";
import { LoadMoreButton } from "./load_more_button.tsx";
import { QueryResult, Skeleton } from "./states.tsx";
import { Time } from "./time.tsx";

type Hands = Extract<RecruitEvent, { kind: "hands" }>;

/** All that has happened with a recruit, the latest first. */
export function RecruitTimeline({ id }: { id: string }) {
  const query = usePages(timelineQueries.list(id));
  const calls = useRecordCall(id);
  return (
    <section className="timeline">
      <h2>Timeline</h2>
      <QueryResult query={query} resource="timeline" skeleton={<Skeleton rows={4} />}>
        {(events) => (
          <>
            <ActionError action={calls} />
            <ol>
              {events.map((event) => (
                <li key={event.id}>
                  <Time at={event.at} />
                  <span>
                    {wordsFor(event)}
                    {event.kind === "call" && (
                      <select
                        aria-label="How the call went"
                        value={event.details.outcome ?? ""}
                        onChange={({ currentTarget: { value } }) =>
                          calls.mutate({ call_id: event.details.call_id, outcome: value as Outcome })}
                      >
                        <option value="" disabled>How did it go?</option>
                        {OUTCOMES.map((outcome) => <option key={outcome} value={outcome}>{labelOf(outcome)}</option>)}
                      </select>
                    )}
                  </span>
                </li>
              ))}
            </ol>
            <LoadMoreButton query={query} />
          </>
        )}
      </QueryResult>
    </section>
  );
}

function wordsFor(event: RecruitEvent): ReactNode {
  const by = <bdi>{event.agent ?? "The bot"}</bdi>;
  switch (event.kind) {
    case "received":
      return "Received from the vendor";
    case "distributed":
      return "Distributed to the agency";
    case "texts":
      return (
        <Link href={`/inbox/${event.details.conversation_id}`}>
          Texts of the day: {event.details.from_recruit} from the recruit, {event.details.from_us} from us
        </Link>
      );
    case "answer":
      return <>Told the bot: {labelOf(event.details.question)}: {wordsOf(event.details.value)}</>;
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
          The service gave the recruit to <bdi>{event.details.to ?? "the agency"}</bdi>
          {fromWords(event.details.from)}
        </>
      );
  }
}

/** Who has the conversation from then on, and who did it. */
function handsWords({ agent, agent_id, details: { status, from, from_agent_id, to, to_agent_id } }: Hands): ReactNode {
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
