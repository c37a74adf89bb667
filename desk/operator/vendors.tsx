import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { DAYS, operatorQueries } from "../data/operator.ts";
import type { Vendor, VendorDays } from "../data/operator_rows.ts";
import { Badge } from "../ui/badge.tsx";
import { BarChart } from "../ui/bar_chart.tsx";
import { countText } from "../ui/count.ts";
import { Nothing } from "../ui/nothing.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { Share } from "../ui/share.tsx";
import { Table } from "../ui/table.tsx";
import { sorted } from "../ui/table_sort.ts";
import { Tabs } from "../ui/tabs.tsx";
import { left, Time, timeText } from "../ui/time.tsx";
import { MappingLink } from "./mapping_link.tsx";
import { AskKey, MadeKey, NewKey } from "./new_key.tsx";
import { useVendorName } from "./vendor_name.tsx";

/** What vendors have sent on each day and what became of their leads, or their keys. */
export function Vendors({ tab }: { tab?: string }) {
  return (
    <Page title="Vendors">
      <Tabs
        label="Vendors"
        tabs={[
          { href: "/operator/vendors", label: "Leads and quality" },
          { href: "/operator/vendors/keys", label: "Keys and mappings" },
        ]}
      />
      {tab === "keys" ? <Keys /> : <Leads />}
    </Page>
  );
}

function Leads() {
  const query = useQuery(operatorQueries.vendorDays());
  return (
    <>
      <QueryResult query={query} resource="leads of the vendors">
        {(vendors) =>
          vendors.length === 0
            ? <EmptyState title={`No vendor has sent anything for ${DAYS} days.`} />
            : (
              <div className="columns">
                <Chart of="leads" by={vendors} what="Leads" unit={["lead", "leads"]} />
                <Chart of="refused" by={vendors} what="Rejected deliveries" unit={["delivery", "deliveries"]} />
              </div>
            )}
      </QueryResult>
      <Quality />
    </>
  );
}

/** The days are those of UTC. Nothing where none came. */
function Chart({ of, by, what, unit }: {
  of: "leads" | "refused";
  by: VendorDays[];
  what: string;
  unit: [one: string, several: string];
}) {
  const nameOf = useVendorName();
  // Leads are counted as in Today and in the table below: without sales leads, which are imported, and from no vendor.
  const vendors = of === "leads" ? by.filter(({ vendor }) => vendor !== "import") : by;
  if (vendors.every((vendor) => vendor[of].every((count) => count === 0))) return null;
  return (
    <BarChart
      label={`${what} by vendor`}
      unit={unit}
      bars={vendors[0]!.dates.map((day, n) => ({
        key: day,
        label: dayText(day),
        values: Object.fromEntries(vendors.map((vendor) => [vendor.vendor, vendor[of][n]!])),
      }))}
      series={vendors.map(({ vendor }) => ({ key: vendor, name: nameOf(vendor) }))}
    />
  );
}

/** What became of the leads of the days. */
function Quality() {
  const query = useQuery(operatorQueries.quality());
  const nameOf = useVendorName();
  const share = <Key extends string>(title: string, key: Key, base: "leads" | "texted" = "leads") => ({
    title,
    cell: (row: Record<Key | "leads" | "texted", number>) => <Share of={row[key]} all={row[base]} />,
    isNumber: true,
  });
  return (
    <section aria-labelledby="quality">
      <h2 id="quality">Quality</h2>
      <p className="quiet">
        Recruiting leads of the last {DAYS}{" "}
        days in UTC, without tests. Repeats are leads of people who had an earlier lead, of any vendor;{" "}
        <Link href="/operator/duplicates">duplicate leads</Link>, which a vendor sent twice, are not counted. Replied,
        screened and opted out are shares of the texted.
      </p>
      <Table
        label="Quality of leads"
        query={query}
        resource="leads"
        empty={<EmptyState title="No lead has come in these days." />}
        keyOf={({ vendor_id }) => vendor_id}
        nameOf={({ vendor }) => nameOf(vendor)}
        columns={[
          { title: "Vendor", cell: ({ vendor }) => nameOf(vendor), isHeader: true },
          { title: "Leads", cell: ({ leads }) => countText(leads), isNumber: true },
          share("Repeats", "repeats"),
          // A tablet has room for the others.
          { ...share("Suppressed", "suppressed"), isMinor: "in_card" },
          share("Returned", "returned"),
          share("Interview", "interview"),
          share("Hired", "hired"),
          share("Texted", "texted"),
          share("Replied", "replied", "texted"),
          share("Screened", "screened", "texted"),
          share("Opted out", "opted_out", "texted"),
        ]}
      />
    </section>
  );
}

/** A key that expires within this number of days is marked: the vendor needs another one. */
const SOON_DAYS = 30;

/** When a key expires that does so soon, which stands first; others stand by the name of their vendor. */
function soonOf({ expires }: Pick<Vendor, "expires">): string | null {
  return expires !== null && Date.parse(expires) < Date.now() + SOON_DAYS * 86_400_000 ? expires : null;
}

const [IN_USE, NOT_IN_USE] = ["In use", "Not in use"];

/** The vendors with their API keys, last those that have sent nothing for long. */
function Keys() {
  const query = useQuery(operatorQueries.vendors());
  const { data: days } = useQuery(operatorQueries.vendorDays());
  const nameOf = useVendorName();
  // The key opens the question anew each time.
  const [asked, ask] = useState<{ vendor: string; key: number } | null>(null);
  const lastDayOf = ({ slug }: Vendor) => {
    const found = days?.find(({ vendor }) => vendor === slug);
    return found?.dates.findLast((_, n) => found.leads[n]! + found.refused[n]! > 0);
  };
  const isByWebhook = (vendor: Vendor) => vendor.webhook && lastDayOf(vendor);
  const needsKey = (vendor: Vendor) => vendor.active && (vendor.keys === 0 || soonOf(vendor) !== null);
  return (
    <MadeKey>
      <Table
        query={{ ...query, data: query.data && sorted(query.data, soonOf, false) }}
        resource="vendors"
        empty={null}
        label="Keys of vendors"
        keyOf={({ slug }) => slug}
        nameOf={({ slug }) => nameOf(slug)}
        groups={[IN_USE, NOT_IN_USE].map((name) => ({ name: name!, head: name }))}
        groupOf={(vendor) => (vendor.last_used === null && days && !lastDayOf(vendor) ? NOT_IN_USE! : IN_USE!)}
        menuOf={({ slug }) => [{ label: "New key", run: () => ask({ vendor: slug, key: (asked?.key ?? 0) + 1 }) }]}
        columns={[
          {
            title: "Vendor",
            isHeader: true,
            cell: ({ slug, active }) => (
              <>
                {nameOf(slug)} {!active && <Badge>inactive</Badge>}
              </>
            ),
          },
          {
            title: "Active keys",
            cell: ({ keys }) => keys === 0 ? <Badge meaning="warn">none</Badge> : countText(keys),
            isNumber: true,
          },
          {
            title: "Last delivery",
            cell: (vendor) => {
              const day = lastDayOf(vendor);
              if (day === undefined) return <span title={`None for ${DAYS} days`}>none</span>;
              return day === new Date().toISOString().slice(0, 10) ? "Today" : dayText(day);
            },
          },
          {
            title: "Key used",
            cell: (vendor) =>
              vendor.last_used ? <Time at={vendor.last_used} /> : isByWebhook(vendor) ? "uses its webhook" : "never",
          },
          {
            title: "Next expiry",
            cell: (vendor) =>
              vendor.expires === null
                ? <Nothing words="never" />
                : soonOf(vendor)
                ? (
                  <Badge meaning="warn" title={timeText(vendor.expires, new Date(), true)}>
                    in {left(vendor.expires)}
                  </Badge>
                )
                : <Time at={vendor.expires} />,
          },
          {
            title: "Act",
            isTitleHidden: true,
            isPlain: true,
            cell: (vendor) => (
              <>
                <MappingLink vendor={vendor.slug} />
                {needsKey(vendor) && (
                  <>
                    {" "}
                    <NewKey vendor={vendor.slug} />
                  </>
                )}
              </>
            ),
          },
        ]}
      />
      {asked && <AskKey key={asked.key} vendor={asked.vendor} />}
    </MadeKey>
  );
}

/** A date such as 2026-11-22, as "Nov 22". */
function dayText(day: string): string {
  return new Date(`${day}T00:00`).toLocaleDateString("en-US", { month: "short", day: "numeric" });
}
