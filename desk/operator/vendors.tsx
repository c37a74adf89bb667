import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { DAYS, operatorQueries, type VendorDays } from "../data/operator.ts";
import { List, Rows } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { MappingLink, Mappings } from "./mapping_link.tsx";
import { useVendorName } from "./vendor_name.ts";

/** In the chart's own unit, which is stretched to the width of the page. */
const BAR = 10;
const HEIGHT = 40;

/** The number of leads of each vendor on each day, as a chart and as a table. */
export function Vendors() {
  const query = useQuery(operatorQueries.vendorDays());
  return (
    <Page title="Vendors">
      <QueryResult query={query} resource="leads of the vendors">
        {(vendors) =>
          vendors.length === 0 ? <EmptyState title={`No vendor has sent anything for ${DAYS} days.`} /> : (
            <>
              <p className="quiet">
                Leads of the last {DAYS}{" "}
                days, by UTC. Bars up are leads; hollow bars down are rejected deliveries. Each vendor has its own
                scale.
              </p>
              <ul className="charts">
                {vendors.map((vendor) => <Chart key={vendor.vendor} of={vendor} />)}
              </ul>
              <h2>The same in numbers</h2>
              <Numbers vendors={vendors} />
              <Link href="/operator/duplicates">Leads that came again</Link>
            </>
          )}
      </QueryResult>
      <Keys />
      <Mappings />
    </Page>
  );
}

function Chart({ of: { vendor, dates, leads, refused } }: { of: VendorDays }) {
  const name = useVendorName()(vendor);
  const most = Math.max(...leads);
  // One scale for both, so that they can be compared.
  const unit = HEIGHT / (most + Math.max(...refused));
  const ground = most * unit;
  const peak = most > 0 ? `, at most ${most} on a day` : "";
  const label = `${leadsText(sum(leads))}${peak}; ${sum(refused)} rejected`;
  return (
    <li>
      <p>
        <strong>{name}</strong> <MappingLink vendor={vendor} /> <small>{label}</small>
      </p>
      <svg
        role="img"
        aria-label={`${name}: ${label}`}
        viewBox={`0 -1 ${dates.length * BAR} ${HEIGHT + 2}`}
        preserveAspectRatio="none"
      >
        {dates.map((day, n) => (
          <g key={day}>
            <title>{`${dayText(day)}: ${leadsText(leads[n]!)}, ${refused[n]} rejected`}</title>
            <rect className="space" x={n * BAR} width={BAR} height={HEIGHT} />
            <rect
              className="leads"
              x={n * BAR + 1}
              width={BAR - 2}
              y={ground - leads[n]! * unit}
              height={leads[n]! * unit}
            />
            {refused[n]! > 0 && (
              <rect className="refused" x={n * BAR + 1} width={BAR - 2} y={ground} height={refused[n]! * unit} />
            )}
          </g>
        ))}
        <line x2={dates.length * BAR} y1={ground} y2={ground} />
      </svg>
      <p className="axis" aria-hidden="true">
        <small>{dayText(dates[0]!)}</small>
        <small>{dayText(dates.at(-1)!)}</small>
      </p>
    </li>
  );
}

function Numbers({ vendors }: { vendors: VendorDays[] }) {
  const nameOf = useVendorName();
  const rows = vendors.flatMap(({ vendor, leads, refused }) => [
    { vendor, of: "stored", numbers: leads },
    ...sum(refused) > 0 ? [{ vendor, of: "rejected", numbers: refused }] : [],
  ]);
  return (
    <Rows
      rows={rows}
      label="Leads per vendor and day"
      className="days"
      keyOf={({ vendor, of }) => `${vendor} ${of}`}
      columns={[
        {
          title: "Vendor",
          isHeader: true,
          cell: ({ vendor, of }) => (
            <>
              {nameOf(vendor)} <small>{of}</small>
            </>
          ),
        },
        { title: "All", isNumber: true, cell: ({ numbers }) => sum(numbers).toLocaleString("en-US") },
        ...vendors[0]!.dates.map((day, n) => ({
          title: dayText(day),
          isNumber: true,
          cell: ({ numbers }: { numbers: number[] }) => numbers[n]!.toLocaleString("en-US"),
        })),
      ]}
    />
  );
}

/** The vendors with their API keys, also those that have sent nothing for long. */
function Keys() {
  const query = useQuery(operatorQueries.vendors());
  const nameOf = useVendorName();
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <p className="quiet">The people who run the service make a vendor a new key.</p>
      <List
        query={query}
        resource="vendors"
        empty={null}
        label="Keys of vendors"
        keyOf={({ slug }) => slug}
        columns={[
          {
            title: "Vendor",
            isHeader: true,
            cell: ({ slug, active }) => (
              <>
                {nameOf(slug)} {!active && <span className="badge">inactive</span>}
              </>
            ),
          },
          { title: "Keys that work", cell: ({ keys }) => keys },
          { title: "Last used", cell: ({ last_used }) => last_used === null ? "never" : <Time at={last_used} /> },
          { title: "The first expires", cell: ({ expires }) => expires === null ? "–" : <Time at={expires} /> },
        ]}
      />
    </section>
  );
}

function leadsText(leads: number): string {
  return leads === 1 ? "1 lead" : `${leads.toLocaleString("en-US")} leads`;
}

function sum(numbers: number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}

/** A date such as 2026-11-22, as "Nov 22". */
function dayText(day: string): string {
  return new Date(`${day}T00:00`).toLocaleDateString("en-US", { month: "short", day: "numeric" });
}
