import type postgres from "postgres";
import type { Script } from "../../supabase/functions/worker/bot/step.ts";
import { formatCsv } from "../formats/csv.ts";
import { findAgency } from "../find.ts";
import { list } from "../lists.ts";
import { datesOf, type Period } from "../options.ts";
import type { Outcome, Session } from "../session.ts";

type Answers = Record<string, string | number | string[]>;

const RECRUIT = ["lead_id", "recruit", "phone", "email", "vendor", "agent", "answered_at"];

type Given = Omit<Period, "timezone"> & { agency: string; dropOff?: boolean };

/** Lists the answers of an agency's recruits: a row for each recruit, and a column for each question. */
export async function listAnswers(
  { sql }: Session,
  { agency: name, dropOff, ...given }: Given,
): Promise<Outcome> {
  const agency = await findAgency(sql, name);
  const { since, until } = datesOf({ ...given, timezone: agency.timezone });
  if (dropOff) return await listDropOff(sql, agency, { since, until, csv: given.csv });
  const rows = await sql`
    select l.* from public.screening_answer_list l
    where l.agency_id = ${agency.id}
      and (${since}::date is null or l.answered_at >= ${since}::date::timestamp at time zone ${agency.timezone})
      and (${until}::date is null or l.answered_at < (${until}::date + 1)::timestamp at time zone ${agency.timezone})
    order by l.answered_at, l.lead_id`;
  const scripts = await sql<{ script: Script }[]>`
    select script from public.bot_scripts
    where agency_id = ${agency.id} and script is not null order by version desc`;
  const [newest = [], ...older] = scripts.map(({ script }) => script.questions.map(({ id }) => id));
  const answered = new Set(rows.flatMap(({ answers }) => Object.keys(answers)));
  const questions = [...new Set([...newest, ...older.flat().filter((id) => answered.has(id))])];

  const withAnswers = rows.map(({ answers, ...row }) => ({ ...row, ...columnsOf(answers, questions) }));
  const columns = questions.map(columnOf);
  const shows = { agency_id: agency.id };
  if (given.csv) return { data: null, text: formatCsv([...RECRUIT, ...columns], [withAnswers]), shows };
  const shown = ["recruit", "phone", "answered_at", ...columns];
  const { text } = list(withAnswers, `${agency.name} has no answer of these days.`, shown);
  return { data: rows, text, shows };
}

/** Counts where and why the bot's conversations ended that began on these days, in the order of the newest script. */
async function listDropOff(
  sql: postgres.Sql,
  { id, name, timezone }: { id: string; name: string; timezone: string },
  { since = null, until = null, csv }: { since?: string | null; until?: string | null; csv?: boolean },
): Promise<Outcome> {
  const rows = await sql`
    with ended as (
      select s.question, s.reason, count(*)::int as recruits from public.bot_session_list s
      where s.agency_id = ${id} and s.state <> 'active'
        and (${since}::date is null or s.created_at >= ${since}::date::timestamp at time zone ${timezone})
        and (${until}::date is null or s.created_at < (${until}::date + 1)::timestamp at time zone ${timezone})
      group by 1, 2
    )
    select e.question, e.reason, e.recruits, round(100.0 * e.recruits / sum(e.recruits) over (), 1)::float8 as percent
    from ended e
    left join jsonb_array_elements((
      select b.script -> 'questions' from public.bot_scripts b
      where b.agency_id = ${id} and b.script is not null order by b.version desc limit 1
    )) with ordinality q (question, place) on q.question ->> 'id' = e.question
    order by q.place, e.question, e.recruits desc, e.reason`;
  if (csv) return { data: null, text: formatCsv(rows.columns.map((column) => column.name), [rows]) };
  return list(rows, `No conversation of ${name} with the bot that began on these days has ended.`);
}

/** The column of a question, whose id may be that of another column. */
const columnOf = (question: string): string => `answer_${question}`;

/** The answers by their columns. An empty list is an answer too. */
function columnsOf(answers: Answers, questions: string[]): Record<string, string | number | undefined> {
  return Object.fromEntries(questions.map((question) => {
    const answer = answers[question];
    return [columnOf(question), Array.isArray(answer) ? answer.join(", ") || "none" : answer];
  }));
}
