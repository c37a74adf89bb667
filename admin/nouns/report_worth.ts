import type postgres from "postgres";
import type { AdminCommand } from "../command.ts";
import { formatCsv } from "../formats/csv.ts";
import { findAgency } from "../find.ts";
import { choice, datesOf, dayIn, ONLY_AGENCY, PERIOD, type Period, wrongPeriod } from "../options.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";
import { withReasons } from "./report_reasons.ts";

/** The type of counts, which the client returns as texts. */
const BIGINT = 20;

type Given = Period & { agency?: string; by?: "vendor" | "month" };

/** Adds the reports that are not of counts by day: what leads are worth, how fast agents respond, what is texted. */
export function addReportWorth(report: AdminCommand): void {
  const quality = "what became of the leads of each vendor, by the day on which they came; 30 days, unless given";
  report.verb("quality", quality, "--since 2026-01-01 --until 2026-03-31 --by month")
    .takes(
      choice("--by <what>", "a row for each vendor, or also for each month", ["vendor", "month"]).default("vendor"),
    )
    .takes(ONLY_AGENCY, ...PERIOD).refuses(wrongPeriod).reads(reportQuality);
  const response = "how fast each agent answered recruits who began to write, by week; 28 days, unless given";
  report.verb("response", response, '--agency "Prairie Life" --since 2026-01-05')
    .takes(ONLY_AGENCY, ...PERIOD).refuses(wrongPeriod).reads(reportResponse);
  const texts = "texts and their segments by month and agency; this month and the one before, unless given";
  report.verb("texts", texts, "--since 2026-01-01 --until 2026-03-31")
    .takes(ONLY_AGENCY, ...PERIOD).refuses(wrongPeriod).reads(reportTexts);
}

async function reportQuality({ sql }: Session, given: Given): Promise<Outcome> {
  const { agencyId, since, until } = await periodOf(sql, given, (today) => daysBefore(today, 29));
  const rows = given.by === "month"
    ? await sql`
      select to_char(m.first, 'YYYY-MM') as month, q.*
      from generate_series(date_trunc('month', ${since}::date), ${until}::date, '1 month') m (first)
      cross join lateral public.vendor_quality(
        greatest(m.first, ${since}::date)::date, least(m.first + interval '1 month - 1 day', ${until}::date)::date,
        ${agencyId}, ${given.timezone}) q
      order by 1 desc, q.leads desc, q.vendor`
    : await sql`select * from public.vendor_quality(${since}, ${until}, ${agencyId}, ${given.timezone})`;
  return outcomeOf(rows, given, "No lead came on these days.");
}

async function reportResponse({ sql }: Session, given: Given): Promise<Outcome> {
  const { agencyId, since, until } = await periodOf(sql, given, (today) => daysBefore(today, 27));
  const rows = await sql`
    select r.week::text as week, r.agency, r.agent, r.agency_id, r.agent_id, r.recruits, r.answered, r.median, r.ninety
    from public.report_responses(${since}, ${until}, ${agencyId}) r`;
  return outcomeOf(rows, given, "No recruit began to write on these days.");
}

async function reportTexts({ sql }: Session, given: Given): Promise<Outcome> {
  const { agencyId, since, until } = await periodOf(sql, given, (today) => `${daysBefore(today, 31).slice(0, 8)}01`);
  const rows = await sql`select * from public.report_texts(${since}, ${until}, ${agencyId})`;
  return outcomeOf(rows, given, "No text was sent on these days.");
}

/** The days of a report, of one agency or of all; without a first day those until the last one. */
async function periodOf(sql: postgres.Sql, given: Given, firstDay: (lastDay: string) => string) {
  const agency = given.agency === undefined ? undefined : await findAgency(sql, given.agency);
  const { since, until } = datesOf(given, agency);
  const last = until ?? dayIn("today", agency?.timezone ?? given.timezone);
  return { agencyId: agency?.id ?? null, since: since ?? firstDay(last), until: last };
}

function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10);
}

function outcomeOf(found: postgres.RowList<postgres.Row[]>, { csv }: Period, none: string): Outcome {
  const counts = found.columns.filter(({ type }) => type === BIGINT).map(({ name }) => name);
  const rows = found.map((row) => ({ ...row, ...Object.fromEntries(counts.map((name) => [name, Number(row[name])])) }));
  if (csv) return { data: null, text: formatCsv(found.columns.map(({ name }) => name), [rows]) };
  const shown = rows.map((row) => withReasons(row, "returned_by_reason"));
  return { data: rows, text: rows.length > 0 ? formatTable(shown) : none };
}
