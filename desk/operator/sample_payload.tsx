import { useId, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { type Mapping, mappingQueries, type OpenedSample, type Sample, useOpenSample } from "../data/mapping.ts";
import { ActionError } from "../ui/action.tsx";
import { QueryResult, Skeleton } from "../ui/query_result.tsx";
import { timeText } from "../ui/time.tsx";

const KINDS = { delivery: "The newest rejected deliveries", lead: "What is left of the newest leads" };

/** The payload that a mapping is tried on. The operator chooses which one, and that it is read is noted. */
export function SamplePayload({ mapping: { vendor_id }, delivery, opened, onOpen }: {
  mapping: Mapping;
  /** The one that is chosen at first. */
  delivery: string | undefined;
  opened: OpenedSample | undefined;
  onOpen: (opened: OpenedSample) => void;
}) {
  const id = useId();
  const query = useQuery(mappingQueries.samples(vendor_id, delivery));
  const open = useOpenSample();
  const [chosen, setChosen] = useState(delivery);

  return (
    <section aria-labelledby={id}>
      <h2 id={id}>Payload</h2>
      <QueryResult query={query} resource="deliveries" skeleton={<Skeleton rows={1} />}>
        {(samples) => {
          const sample = samples.find(({ id }) => id === chosen) ?? samples[0];
          if (sample === undefined) return <p className="quiet">Nothing that this vendor has sent is kept.</p>;
          return (
            <>
              <form
                className="section-head"
                onSubmit={(event) => {
                  event.preventDefault();
                  if (!open.isPending) open.mutate(sample, { onSuccess: onOpen });
                }}
              >
                <select
                  aria-label="What it is tried on"
                  value={sample.id}
                  onChange={(event) => setChosen(event.currentTarget.value)}
                >
                  {(["delivery", "lead"] as const).map((kind) => (
                    <Options
                      key={kind}
                      label={KINDS[kind]}
                      samples={samples.filter((sample) => sample.kind === kind)}
                    />
                  ))}
                </select>
                <button type="submit" aria-disabled={open.isPending}>Show</button>
              </form>
              <p className="quiet">It may contain personal data. Reading it is noted with your name.</p>
              <ActionError action={open} />
            </>
          );
        }}
      </QueryResult>
      {opened && <pre tabIndex={0} role="region" aria-label="What was sent">{opened.payload}</pre>}
    </section>
  );
}

function Options({ label, samples }: { label: string; samples: Sample[] }) {
  if (samples.length === 0) return null;
  return (
    <optgroup label={label}>
      {samples.map(({ id, received_at, vendor_lead_id, status, reason }) => (
        <option key={id} value={id}>
          {[timeText(received_at, new Date(), true), vendor_lead_id, reason, status !== "open" && status]
            .filter(Boolean).join(", ")}
        </option>
      ))}
    </optgroup>
  );
}
