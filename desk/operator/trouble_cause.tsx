import { useQuery } from "@tanstack/react-query";
import { operatorQueries } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { phoneText } from "../ui/phone.ts";
import type { Trouble } from "./troubles.ts";
import { causeTitle } from "./unsent_texts.tsx";

/** What is wrong, with the cause or the person that the view of the kind begins with, once it is read. */
export function TroubleCause({ of: { kind, subject, problem } }: { of: Trouble }) {
  if (kind === "recruit_waiting") return <Waiting id={subject} problem={problem} />;
  if (kind === "texts_held") return <Held problem={problem} />;
  if (kind === "deliveries_rejected") return <Rejected vendor={subject} problem={problem} />;
  return problem;
}

function Waiting({ id, problem }: { id: string; problem: string }) {
  const { data } = usePages(operatorQueries.waitingRecruits());
  const found = data?.find(({ conversation_id }) => conversation_id === id);
  if (found === undefined) return problem;
  return (
    <>
      <bdi>{found.recruit ?? phoneText(found.phone)}</bdi> waits for <bdi>{found.agent ?? "the managers"}</bdi>
    </>
  );
}

/** The cause is that of a number only where it is the only one. */
function Held({ problem }: { problem: string }) {
  const { data: causes = [] } = useQuery(operatorQueries.unsentCauses());
  return <>{problem}{causes.length === 1 && `: ${causeTitle(causes[0]!)}`}</>;
}

function Rejected({ vendor, problem }: { vendor: string; problem: string }) {
  const { data } = usePages(operatorQueries.reasons({ vendor: null, code: null, words: null }));
  const most = data?.find((reason) => reason.vendor === vendor);
  return <>{problem}{most && `: ${most.reason}`}</>;
}
