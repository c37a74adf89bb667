import { Link } from "wouter";
import { useQuery } from "@tanstack/react-query";
import { operatorQueries } from "../data/operator.ts";
import { Badge } from "../ui/badge.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { ago, Time } from "../ui/time.tsx";
import { useTroubles } from "./troubles.ts";

/** How often a job runs. */
const RUNS: Record<string, string> = { "check alerts": "every minute", "send texts": "while texts are due" };

/** The last run of each job that the service repeats. */
export function Jobs() {
  const query = useQuery(operatorQueries.jobs());
  const { data: troubles } = useTroubles();
  return (
    <Page title="Jobs">
      <Link href="/operator" className="back">Today</Link>
      <p className="quiet">
        The recurring work of the service, which the scheduler of the database starts. If a job is late, the section
        “Sending texts” of the documentation says how to see what the scheduler has run, and how to start it.
      </p>
      <Table
        label="Jobs"
        query={query}
        resource="jobs"
        empty={<EmptyState title="No job has run yet." />}
        keyOf={({ job }) => job}
        nameOf={({ job }) => job}
        columns={[
          { title: "Job", cell: ({ job }) => job, isHeader: true },
          { title: "Runs", cell: ({ job }) => RUNS[job], isPlain: true },
          { title: "Last started", cell: ({ started_at }) => started_at && <Time at={started_at} /> },
          {
            title: "Status",
            isCorner: true,
            cell: ({ job, started_at, ended_at }) => {
              // Without a text that is due, nobody calls the other. An alert says when it should have been called.
              if (job !== "check alerts") {
                return troubles?.some(({ kind }) => kind === "worker_late")
                  ? <Badge meaning="warn">texts are late</Badge>
                  : troubles && "nothing overdue";
              }
              const late = ago(ended_at ?? started_at!, Date.now() - 60_000);
              return late === "now" ? "on time" : <Badge meaning="warn">{late} late</Badge>;
            },
          },
        ]}
      />
    </Page>
  );
}
