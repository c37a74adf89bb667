import { Link } from "wouter";
import { useQuery } from "@tanstack/react-query";
import { operatorQueries } from "../data/operator.ts";
import { Badge } from "../ui/badge.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { ago, Time } from "../ui/time.tsx";
import { useTroubles } from "./troubles.ts";

/** What a job does, and when it runs. */
const JOBS: Record<string, [does: string, runs: string]> = {
  "check alerts": ["Opens and ends alerts, and deletes what is past its time", "every minute"],
  "send texts": ["Gives Twilio the texts that are due", "while texts are due"],
};

/** The last run of each job that the service repeats. */
export function Jobs() {
  const query = useQuery(operatorQueries.jobs());
  const { data: troubles } = useTroubles();
  return (
    <Page title="Jobs">
      <Link href="/operator" className="back">Today</Link>
      <p className="quiet">
        The scheduler of the database, pg_cron, starts them. If one is late, see in the project’s SQL editor what it has
        run: <code>select status, return_message from cron.job_run_details order by start_time desc limit 5</code>
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
          { title: "What it does", cell: ({ job }) => JOBS[job]?.[0], isPlain: true, isSentence: true },
          { title: "Runs", cell: ({ job }) => JOBS[job]?.[1] },
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
