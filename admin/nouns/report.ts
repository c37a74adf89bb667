import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { formatCsv } from "../formats/csv.ts";
import { findAgency, idOf } from "../find.ts";
import { choice, datesOf, ONLY_AGENCY, PERIOD, type Period, text, wrongPeriod } from "../options.ts";
import { addReportRepeats } from "./report_repeats.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";
import { withReasons } from "./report_reasons.ts";
import { addReportWorth } from "./report_worth.ts";

/** The subjects of a report's rows, and the fields by which a row names it. */
const NAMES = {
  vendor: ["vendor"],
  agency: ["agency", "agency_id"],
  agent: ["agent", "agency", "agent_id"],
  order: ["order_id", "agency"],
  state: ["state"],
  day: ["day"],
  month: ["month"],
};
/** The counts of a report, by the day that a lead counts on. */
const COUNTS = {
  received: [
    "created",
    "duplicates",
    "refused",
    "refused_by_reason",
    "distributed",
    "returned",
    "unmatched",
    "texted",
    "answered",
    "opted_out",
  ],
  distributed: ["distributed", "returned"],
};

type Fields = Record<string, unknown>;

export function addReport(program: AdminCommand): void {
  const report = program.noun("report", "what came, what became of it, and what it is worth");
  const leads = "how many leads came, and what became of them; seven days, unless given; the report without a name";
  report.verb("leads", leads, "--by vendor --since 2026-01-31", { isDefault: true })
    .takes(choice("--by <what>", "a row for each", Object.keys(NAMES)).default("day"))
    .takes(text("--vendor <vendor>", "only this vendor"), ONLY_AGENCY)
    .takes(choice("--day-of <what>", "the day on which a lead counts", Object.keys(COUNTS)).default("received"))
    .takes(...PERIOD)
    .addHelpText(
      "after",
      "\nBy the day on which they were distributed, leads that are returned later stay counted: `returned` has its own day.",
    )
    .refuses(wrongPeriod)
    .reads(reportLeads);
  addReportRepeats(report);
  addReportWorth(report);
}

async function reportLeads(
  { sql }: Session,
  given: Period & { by: keyof typeof NAMES; vendor?: string; agency?: string; dayOf: keyof typeof COUNTS },
): Promise<Outcome> {
  const { by, dayOf, timezone } = given;
  const vendorId = await idOf(sql, "vendor", given.vendor);
  const agency = given.agency === undefined ? undefined : await findAgency(sql, given.agency);
  const { since, until } = datesOf(given, agency);
  const report = await valueOf<{ rows: Fields[]; totals: Fields }>(sql`
    select public.report_leads(${by}, ${since}, ${until}, ${timezone}, ${vendorId}, ${agency?.id ?? null}, ${dayOf})`);
  const counts = by === "vendor" && dayOf === "received" ? [...COUNTS.received, "repeats", "first"] : COUNTS[dayOf];
  const columns = [...NAMES[by], ...counts];
  const rows = report.rows.map((row) => pick(row, columns));
  if (given.csv) return { data: null, text: formatCsv(columns, [rows]) };

  const totals = pick(report.totals, counts);
  const [name] = columns as [string];
  const named = rows.map((row) => ({ ...row, [name]: row[name] ?? "none" }));
  const total = { ...pick({}, NAMES[by]), ...totals, [name]: "total" };
  return {
    data: { rows, totals },
    text: rows.length === 0
      ? `Nothing was ${dayOf} on these days.`
      : formatTable([...named, total].map((row) => withReasons(row, "refused_by_reason"))),
  };
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}
