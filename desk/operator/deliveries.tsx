import { Link } from "wouter";
import { type Group, operatorQueries, type Reason } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { useVendorName } from "./vendor_name.ts";

/** Why deliveries were rejected. Each reason leads to its deliveries. */
export function Deliveries() {
  const query = usePages(operatorQueries.reasons());
  return (
    <Page title="Rejected deliveries">
      <p className="quiet">
        What a vendor has sent and the service could not store. It is kept for 30 days. Correct what rejects it, then
        replay it.
      </p>
      <List
        query={query}
        resource="rejected deliveries"
        empty={
          <EmptyState title="No delivery is open.">Whatever vendors sent is stored, replayed or dismissed.</EmptyState>
        }
        className="reasons"
        keyOf={({ id }) => id}
        row={(reason) => <ReasonRow reason={reason} />}
      />
    </Page>
  );
}

function ReasonRow({ reason: given }: { reason: Reason }) {
  const { vendor, code, reason, deliveries, first_at, last_at } = given;
  const nameOf = useVendorName();
  return (
    <li>
      <Link href={pathOf(groupOf(given))}>
        <span className="count">{deliveries.toLocaleString("en-US")}</span>
        <span>
          <strong>{nameOf(vendor)}</strong>: {reason}
        </span>
      </Link>
      <p className="quiet">
        {code}. First <Time at={first_at} />, last <Time at={last_at} />
      </p>
    </li>
  );
}

/** The group of a reason, or of a delivery. */
export function groupOf(
  { vendor_id, code, reason }: { vendor_id: string | null; code: string; reason: string },
): Group {
  return { vendor_id: vendor_id ?? "import", code, reason };
}

/** The path of the view of a group. */
export function pathOf({ vendor_id, code, reason }: Group): string {
  // Encoded twice, because the router decodes once, and not what would be a part of the path.
  return `/operator/deliveries/${vendor_id}/${code}/${encodeURIComponent(encodeURIComponent(reason))}`;
}
