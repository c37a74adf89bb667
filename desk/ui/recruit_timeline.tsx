import type { ReactNode } from "react";
import { Link } from "wouter";
import { usePages } from "../data/pages.ts";
import { type Outcome, OUTCOMES, type RecruitEvent, timelineQueries, useRecordCall } from "../data/timeline.ts";
import { ActionError } from "./action.tsx";
import { labelOf, wordsOf } from "./json_value.tsx";
import { LoadMoreButton } from "./load_more_button.tsx";
import { QueryResult, Skeleton } from "./states.tsx";
import { Time } from "./time.tsx";

type Hands = Extract<RecruitEvent, { kind: "hands" }>["details"];

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
      return handsWords(event.agent, event.details);
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
function handsWords(agent: string | null, { status, from, to }: Hands): ReactNode {
  const by = agent !== null && <bdi>{agent}</bdi>;
  if (status === "bot") return by ? <>{by} handed the conversation to the bot</> : "The conversation went to the bot";
  if (by === false) {
    return (
      <>
        The conversation went to <bdi>{to}</bdi>
        {fromWords(from === to ? null : from)}
      </>
    );
  }
  if (agent === to) {
    return (
      <>
        {by} took the conversation over{fromWords(from === to ? null : from)}
      </>
    );
  }
  return (
    <>
      {by} gave the conversation to <bdi>{to}</bdi>
      {fromWords(from === to || from === agent ? null : from)}
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
