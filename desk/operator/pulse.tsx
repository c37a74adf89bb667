import { useQuery } from "@tanstack/react-query";
import { operatorPulse } from "../data/operator_counts.ts";
import { countText } from "../ui/count.ts";
import { Figure } from "../ui/figure.tsx";

/** How the service does today, each figure with its list. */
export function Pulse() {
  const { data: pulse } = useQuery(operatorPulse());
  if (!pulse) return <div className="figure-row pulse" />;
  const { leads, leads_before, distributed, texts, texts_failed, dispatches_failed } = pulse;
  return (
    <div className="figure-row pulse">
      <Figure
        label="Leads today"
        value={leads}
        hint={`${countText(leads_before)} a week ago at this time`}
        href="/operator/leads"
      />
      <Figure
        label="Distributed"
        value={leads === 0 ? null : distributed / leads}
        format={(share) => `${Math.round(share * 100)}%`}
        hint={`${countText(distributed)} of ${countText(leads)}`}
        href="/operator/waiting"
      />
      <Figure
        label="Texts sent"
        value={texts}
        hint={failures(texts_failed, " failed, in 24 hours")}
        href="/operator/outbox"
      />
      <Figure
        label="Failed dispatches"
        value={dispatches_failed}
        format={failures}
        hint="in 24 hours"
        href="/operator/destinations"
      />
    </div>
  );
}

function failures(count: number, words = "") {
  return <span className={count > 0 ? "problem" : undefined}>{countText(count) + words}</span>;
}
