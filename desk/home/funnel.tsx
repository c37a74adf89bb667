import { useQuery } from "@tanstack/react-query";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { Link } from "wouter";
import { figureQueries, type Figures, type VendorFunnel } from "../data/figures.ts";
import type { Agent } from "../data/user.ts";
import { Badge } from "../ui/badge.tsx";
import { countText } from "../ui/count.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Share } from "../ui/share.tsx";
import { Table } from "../ui/table.tsx";
import { listHref } from "./address.ts";

/** From so many recruits on, a share says something about a vendor. */
const MANY = 10;

/** How far the recruits of each vendor have come, also those that were returned. The name of a vendor opens its recruits. */
export function Funnel({ agent, figures }: { agent: Agent; figures: Figures }) {
  const query = useQuery(figureQueries.funnel(agent.agency_id, figures));
  const stage = (title: string, key: "texted" | "replied" | "screened" | "interview" | "licensed" | "hired") => ({
    title,
    cell: (row: VendorFunnel) => <Share of={row[key]} all={row.leads} />,
    isNumber: true,
  });
  return (
    <section aria-labelledby="funnel" className="panel funnel">
      <div className="panel-head">
        <h2 id="funnel">Recruits by vendor</h2>
        <small>
          received in the last {figures.days} days, returned ones too, and how far they have come since
        </small>
      </div>
      <Table
        label="Recruits by vendor"
        query={query}
        resource="vendors"
        expected={figures.vendors.length}
        empty={<EmptyState title="No vendor has sent a recruit in these days." />}
        keyOf={({ vendor_id }) => vendor_id}
        nameOf={({ vendor }) => vendor}
        columns={[
          {
            title: "Vendor",
            cell: (row) => <Vendor row={row} figures={figures} />,
            isHeader: true,
          },
          { title: "Recruits", cell: ({ leads }) => countText(leads), isNumber: true },
          stage("Texted", "texted"),
          stage("Replied", "replied"),
          stage("Screened", "screened"),
          stage("Interview", "interview"),
          stage("Licensed", "licensed"),
          stage("Hired", "hired"),
        ]}
      />
    </section>
  );
}

/** Its name, and why so few of its recruits are texted, or that it is strange. */
function Vendor({ row, figures: { days, vendors } }: { row: VendorFunnel; figures: Figures }) {
  const { vendor_id, vendor } = row;
  const found = vendors.find(({ id }) => id === vendor_id);
  return (
    <span className="line">
      {found === undefined
        ? <bdi>{vendor}</bdi>
        : (
          <Link href={listHref("leads", days, { vendor_id })} className="row-link">
            <bdi>{vendor}</bdi>
          </Link>
        )}
      {found === undefined
        ? <small>all returned</small>
        : !found.has_text_consent
        ? <small>no consent to texts</small>
        : isFewTexted(row, { vendors }) && (
          <Link href={listHref("not_texted", days, { vendor_id })}>
            <Badge meaning="warn" icon={TriangleAlert}>few texted</Badge>
          </Link>
        )}
    </span>
  );
}

/** Whether recruits of a vendor who may be texted are not. */
export function isFewTexted(
  { vendor_id, leads, texted }: VendorFunnel,
  { vendors }: Pick<Figures, "vendors">,
): boolean {
  return leads >= MANY && texted < leads / 2 &&
    vendors.some(({ id, has_text_consent }) => id === vendor_id && has_text_consent);
}
