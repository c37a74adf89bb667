import { Link } from "wouter";
import { useQuery } from "@tanstack/react-query";
import { operatorQueries } from "../data/operator.ts";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { ago, Time } from "../ui/time.tsx";

/** The last run of each job that the service repeats. */
export function Jobs() {
  const query = useQuery(operatorQueries.jobs());
  return (
    <Page title="Jobs">
      <Link href="/operator" className="back">Today</Link>
      <p className="quiet">
        What the service does again and again. A job that has not ended for long is started by the people who run the
        service.
      </p>
      <List
        query={query}
        resource="jobs"
        empty={<EmptyState title="No job has run yet." />}
        keyOf={({ job }) => job}
        row={({ job, started_at, ended_at }) => (
          <li>
            <strong>{job}</strong> {ended_at === null ? <span className="problem">has not ended yet.</span> : (
              <>
                ended {ago(ended_at) === "now" ? "just now" : `${ago(ended_at)} ago`}, <Time at={ended_at} />.
              </>
            )} {started_at !== null && (
              <small>
                Last begun <Time at={started_at} />
              </small>
            )}
          </li>
        )}
      />
    </Page>
  );
}
