import type { AdminCommand } from "../command.ts";
import { formatCsv } from "../formats/csv.ts";
import { datesOf, PERIOD, type Period, wrongPeriod } from "../options.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";

/** Adds the report of people who came again: a matrix, vendor by vendor. */
export function addReportRepeats(report: AdminCommand): void {
  const repeats =
    "of each vendor's leads, how many people came first, and whose leads the others were before; 30 days, unless given";
  report.verb("repeats", repeats, "--since 2026-01-01")
    .takes(...PERIOD)
    .addHelpText(
      "after",
      "\nA row for the vendor of the later lead, a column for the vendor of the earlier one, however old that is. Two leads are of" +
        "\none person if they have the same phone or e-mail address. Tests do not count, and returned leads are not earlier ones.",
    )
    .refuses(wrongPeriod)
    .reads(reportRepeats);
}

async function reportRepeats({ sql }: Session, given: Period): Promise<Outcome> {
  const { since, until } = datesOf(given);
  const counts = await sql<{ vendor: string; earlier_vendor: string | null; leads: string }[]>`
    select * from public.report_repeats(${since}, ${until}, ${given.timezone})`;
  const vendors = [...new Set(counts.map(({ vendor }) => vendor))];
  const earlier = [...new Set(counts.flatMap(({ earlier_vendor }) => earlier_vendor ?? []))].toSorted();
  const rows = vendors.map((vendor) => {
    const of = (name: string | null) =>
      Number(counts.find((row) => row.vendor === vendor && row.earlier_vendor === name)?.leads ?? 0);
    const repeats = earlier.map((name) => [name, of(name)] as const);
    return {
      vendor,
      first: of(null),
      repeats: repeats.reduce((sum, [, leads]) => sum + leads, 0),
      ...Object.fromEntries(repeats.map(([name, leads]) => [`of ${name}`, leads])),
    };
  });
  if (given.csv) {
    return {
      data: null,
      text: formatCsv(["vendor", "first", "repeats", ...earlier.map((name) => `of ${name}`)], [rows]),
    };
  }
  return { data: rows, text: rows.length > 0 ? formatTable(rows) : "No lead came on these days." };
}
