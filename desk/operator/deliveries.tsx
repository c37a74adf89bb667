import { Link, useSearch } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import type { Group } from "../data/operator_rows.ts";
import { usePages } from "../data/pages.ts";
import { Badge } from "../ui/badge.tsx";
import { countText } from "../ui/count.ts";
import { SearchField, SelectField } from "../ui/filters.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { left, Time } from "../ui/time.tsx";
import { MappingLink } from "./mapping_link.tsx";
import { useVendorName, VendorField } from "./vendor_name.tsx";

const WEEK = 7 * 86_400_000;

/** Why deliveries were rejected, narrowed by the address. Each reason leads to its deliveries. */
export function Deliveries() {
  const parameters = new URLSearchParams(useSearch());
  const [vendor, code, words] = ["vendor", "code", "q"].map((name) => parameters.get(name));
  const query = usePages(operatorQueries.reasons({ vendor: vendor!, code: code!, words: words! }));
  const nameOf = useVendorName();
  const codes = new Set([code ?? [], query.data?.map((reason) => reason.code) ?? []].flat());
  return (
    <Page title="Rejected deliveries">
      <p className="quiet">
        Deliveries that could not be stored. Fix the cause, then open the row to replay or dismiss them. Each is deleted
        after 30 days.
      </p>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <SearchField label="Reason" />
        <VendorField others={[["import", nameOf("import")]]} />
        <SelectField name="code" label="Code" all="All codes" options={[...codes].map((code) => [code, code])} />
      </form>
      <Table
        label="Reasons"
        query={query}
        resource="rejected deliveries"
        empty={
          <EmptyState title="No delivery is open.">
            {parameters.size > 0
              ? "No delivery matches the filters."
              : "Everything that vendors sent was stored, replayed or dismissed."}
          </EmptyState>
        }
        keyOf={({ id }) => id}
        nameOf={({ vendor, reason }) => `${nameOf(vendor)}: ${reason}`}
        hrefOf={(reason) => pathOf(groupOf(reason))}
        columns={[
          {
            title: "Vendor",
            cell: ({ reason, vendor }) => (
              <>
                {nameOf(vendor)} <span className="visually-hidden">{reason}</span>
              </>
            ),
            isHeader: true,
          },
          {
            title: "Cause",
            cell: ({ reason, sends }) => (
              <span className="two-lines is-one" title={sends ? `${reason}, sends ${sends.join(", ")}` : reason}>
                <Badge>{reason}</Badge> {sends && <small>sends {sends.join(", ")}</small>}
              </span>
            ),
            isSentence: true,
            isPlain: true,
          },
          { title: "Deliveries", cell: ({ deliveries }) => countText(deliveries), isNumber: true },
          { title: "Last", cell: ({ last_at }) => <Time at={last_at} isAge />, isMinor: true },
          { title: "First deleted in", cell: ({ first_deleted_at }) => <Deletion at={first_deleted_at} /> },
          {
            title: "Next step",
            cell: (reason) => (
              <MappingLink
                vendor={reason.vendor}
                reason={reason.reason}
                otherwise={
                  <Link href={pathOf(groupOf(reason))} className="button">
                    Replay or dismiss{" "}
                    <span className="visually-hidden">those of {nameOf(reason.vendor)}: {reason.reason}</span>
                  </Link>
                }
              />
            ),
            isPlain: true,
          },
        ]}
      />
    </Page>
  );
}

/** The time until the oldest delivery is deleted. */
function Deletion({ at }: { at: string }) {
  const weeks = (Date.parse(at) - Date.now()) / WEEK;
  return weeks < 1 ? <Badge meaning={weeks < 1 / 7 ? "bad" : "warn"}>{left(at)}</Badge> : left(at);
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
