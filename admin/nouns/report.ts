import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { formatCsv } from "../csv.ts";
import { inOptions } from "../errors.ts";
import { idOf } from "../find.ts";
import { choice, PERIOD, type Period, text, wrongPeriod } from "../options.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";

/** The subjects of a report's rows, and the fields by which a row names it. */
const NAMES = {
  vendor: ["vendor"],
  agency: ["agency", "agency_id"],
  agent: ["agent", "agency", "agent_id"],
  order: ["order_id", "agency"],
  day: ["day"],
};
const COUNTS = [
  "created",
  "duplicates",
  "refused",
  "refused_by_reason",
  "distributed",
  "unmatched",
  "texted",
  "answered",
  "opted_out",
];
const REASONS_SHOWN = 3;

type Fields = Record<string, unknown>;

export function addReport(program: AdminCommand): void {
  const report = "how many leads came, and what became of them; seven days, unless given";
  program.verb("report", report, "--by vendor --since 2026-01-31")
    .takes(choice("--by <what>", "a row for each", Object.keys(NAMES)).default("day"))
    .takes(text("--vendor <vendor>", "only this vendor"), ...PERIOD)
    .refuses(wrongPeriod)
    .runs(reportLeads);
}

async function reportLeads(
  { sql }: Session,
  given: Period & { by: keyof typeof NAMES; vendor?: string },
): Promise<Outcome> {
  const { by, since = null, until = null, timezone } = given;
  const vendorId = await idOf(sql, "vendor", given.vendor);
  const report = await inOptions(
    valueOf<{ rows: Fields[]; totals: Fields }>(sql`
      select public.report_leads(${by}, ${since}, ${until}, ${timezone}, ${vendorId})`),
    { timezone: "--timezone" },
  );
  const columns = [...NAMES[by], ...COUNTS];
  const rows = report.rows.map((row) => pick(row, columns));
  if (given.csv) return { data: null, text: formatCsv(columns, [rows]) };

  const totals = pick(report.totals, COUNTS);
  const [name] = columns as [string];
  const named = rows.map((row) => ({ ...row, [name]: row[name] ?? "none" }));
  const total = { ...pick({}, NAMES[by]), ...totals, [name]: "total" };
  return {
    data: { rows, totals },
    text: rows.length === 0 ? "Nothing was received on these days." : formatTable([...named, total].map(withReasons)),
  };
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
}

/** A row for a person: the most frequent reasons in words, at the end. */
function withReasons({ refused_by_reason, ...row }: Fields): Fields {
  const reasons = Object.entries(refused_by_reason as Record<string, number>)
    .sort(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${count} × ${reason}`);
  const more = reasons.length - REASONS_SHOWN;
  const shown = reasons.slice(0, REASONS_SHOWN).join("; ");
  return { ...row, reasons: more > 0 ? `${shown}; ${more} more` : shown };
}
