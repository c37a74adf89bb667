import { Link } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { useVendorName } from "./vendor_name.ts";

/** Leads that vendors have sent again. Each is stored once. */
export function Duplicates() {
  const query = usePages(operatorQueries.duplicates());
  const nameOf = useVendorName();
  return (
    <Page title="Leads that came again">
      <Link href="/operator/vendors" className="back">Vendors</Link>
      <p className="quiet">Each was stored when it came first, and went to nobody a second time.</p>
      <QueryResult query={query} resource="leads">
        {(rows) =>
          rows.length === 0 ? <EmptyState title="No lead came again." /> : (
            <>
              <div className="scroll" tabIndex={0} role="region" aria-label="Leads that came again">
                <table>
                  <thead>
                    <tr>
                      <th scope="col">Came again</th>
                      <th scope="col">Vendor</th>
                      <th scope="col">Lead</th>
                      <th scope="col">First</th>
                      <th scope="col">Request</th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map(({ id, received_at, vendor, vendor_lead_id, lead_id, first_received, request_id }) => (
                      <tr key={id}>
                        <td>
                          <Time at={received_at} />
                        </td>
                        <td>{nameOf(vendor)}</td>
                        <td>
                          <Link href={`/operator/search/${lead_id}`}>{vendor_lead_id ?? lead_id.slice(0, 8)}</Link>
                        </td>
                        <td>
                          <Time at={first_received} />
                        </td>
                        <td>{request_id}</td>
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
