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
  const stage = (
    title: string,
    key: "texted" | "replied" | "screened" | "interview" | "licensed" | "hired",
    group: string,
  ) => ({
    title,
    group,
    cell: (row: VendorFunnel) => <Share of={row[key]} all={row.leads} />,
    isNumber: true,
  });
  return (
    <section aria-labelledby="funnel" className="panel">
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
            cell: ({ vendor_id, vendor, leads, texted }) =>
              figures.vendors.some(({ id }) => id === vendor_id)
                ? (
                  <>
                    <Link href={listHref("leads", figures.days, { vendor_id })} className="row-link">
                      <bdi>{vendor}</bdi>
                    </Link>
                    {/* Why so few of them are texted, or that it is strange. */}
                    {figures.vendors.some(({ id, has_text_consent }) => id === vendor_id && !has_text_consent)
                      ? <span className="quiet">no consent to texts</span>
                      : leads >= MANY && texted < leads / 2 && (
                        <Link href={listHref("not_texted", figures.days, { vendor_id })}>
                          <Badge meaning="warn" icon={TriangleAlert}>few texted</Badge>
                        </Link>
                      )}
                  </>
                )
                : (
                  <>
                    <bdi>{vendor}</bdi> <span className="quiet">all returned</span>
                  </>
                ),
            isHeader: true,
          },
          { title: "Recruits", cell: ({ leads }) => countText(leads), isNumber: true },
          stage("Texted", "texted", "Texting"),
          stage("Replied", "replied", "Texting"),
          stage("Screened", "screened", "Texting"),
          stage("Interview", "interview", "Stages"),
          stage("Licensed", "licensed", "Stages"),
          stage("Hired", "hired", "Stages"),
        ]}
      />
    </section>
  );
}
