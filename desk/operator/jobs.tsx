import { Link } from "wouter";
import { useQuery } from "@tanstack/react-query";
import { operatorQueries } from "../data/operator.ts";
import { Badge } from "../ui/badge.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";

/** The minutes after which a job should have ended. */
const LATE_AFTER = 5;

/** The last run of each job that the service repeats. */
export function Jobs() {
  const query = useQuery(operatorQueries.jobs());
  return (
    <Page title="Jobs">
      <Link href="/operator" className="back">Today</Link>
      <p className="quiet">
        The recurring work of the service. The people who run the service restart a job that has not ended for a long
        time.
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
          {
            title: "Ended",
            cell: ({ ended_at, started_at }) =>
              ended_at !== null
                ? <Time at={ended_at} />
                : Date.parse(started_at!) > Date.now() - LATE_AFTER * 60_000
                ? "running"
                : <Badge meaning="warn">not yet</Badge>,
          },
          { title: "Last started", cell: ({ started_at }) => started_at && <Time at={started_at} /> },
        ]}
      />
    </Page>
  );
}
