import { Link } from "wouter";
import { type ListedLead, operatorQueries } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { distributionText } from "./lead_words.ts";
import { useVendorName } from "./vendor_name.ts";

/** The number of leads that Today shows. */
const FEW = 5;

/** The leads that came last, for Today. */
export function NewestLeads() {
  const query = usePages(operatorQueries.leads());
  return (
    <>
      <div className="bar">
        <h2>Newest leads</h2>
        <Link href="/operator/leads">All leads</Link>
      </div>
      <QueryResult query={query} resource="leads">
        {(leads) => <Leads leads={leads.slice(0, FEW)} />}
      </QueryResult>
    </>
  );
}

/** All leads, the newest first. */
export function AllLeads() {
  const query = usePages(operatorQueries.leads());
  return (
    <Page title="Leads">
      <Link href="/operator" className="back">Today</Link>
      <p className="quiet">
        Leads of recruiting vendors, the newest first. Reading one of them is noted with your name.
      </p>
      <QueryResult query={query} resource="leads">
        {(leads) => (
          <>
            <Leads leads={leads} />
            <LoadMoreButton query={query} />
          </>
        )}
      </QueryResult>
    </Page>
  );
}

function Leads({ leads }: { leads: ListedLead[] }) {
  const nameOf = useVendorName();
  if (leads.length === 0) return <EmptyState title="No lead has come yet." />;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Leads">
      <table>
        <thead>
          <tr>
            <th scope="col">Received</th>
            <th scope="col">Vendor</th>
            <th scope="col">Lead</th>
            <th scope="col">Outcome</th>
          </tr>
        </thead>
        <tbody>
          {leads.map((lead) => (
            <tr key={lead.id}>
              <td>
                <Time at={lead.received} />
              </td>
              <td>{nameOf(lead.vendor)}</td>
              <td>
                <Link href={`/operator/search/${lead.id}`}>
                  <bdi>{lead.vendor_lead_id ?? lead.id.slice(0, 8)}</bdi>
                </Link>
              </td>
              <td>{outcome(lead)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Who has a lead, or why nobody has. */
function outcome({ agency, agent, distribution }: ListedLead): string {
  if (agency === null) return distributionText(distribution);
  return `To ${agent ?? "no agent"}, ${agency}`;
}
