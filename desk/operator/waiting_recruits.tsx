import { Link } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { ago, Time } from "../ui/time.tsx";

/** The recruits of all agencies who wait for an answer. */
export function WaitingRecruits() {
  const query = usePages(operatorQueries.waitingRecruits());
  return (
    <Page title="Recruits who wait">
      <Link href="/operator" className="back">Today</Link>
      <p className="quiet">
        They have written, and nobody has answered yet. The agent has the conversation; the managers of the agency can
        give it to somebody else.
      </p>
      <QueryResult query={query} resource="recruits">
        {(rows) =>
          rows.length === 0 ? <EmptyState title="No recruit waits.">Each text has its answer.</EmptyState> : (
            <>
              <div className="scroll" tabIndex={0} role="region" aria-label="Recruits who wait">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">Agency</th>
                      <th scope="col">Agent</th>
                      <th scope="col">Recruit</th>
                      <th scope="col">Phone</th>
                      <th scope="col">Waits</th>
                      <th scope="col">Since</th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map(({ conversation_id, agency, agent, recruit, phone, since }) => (
                      <tr key={conversation_id}>
                        <td>{agency}</td>
                        <td>
                          <bdi>{agent ?? "Managers"}</bdi>
                        </td>
                        <td>
                          <bdi>{recruit ?? "–"}</bdi>
                        </td>
                        <td>{phoneText(phone)}</td>
                        <td>{ago(since)}</td>
                        <td>
                          <Time at={since} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <LoadMoreButton query={query} />
            </>
          )}
      </QueryResult>
    </Page>
  );
}
