import type { AdminCommand } from "../command.ts";
import { namedState } from "../../supabase/functions/_shared/states.ts";
import { CommandError, explained } from "../errors.ts";
import { day, option, phone, text, timeOfDay } from "../options.ts";
import { list } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const ALL = "all";

interface Change {
  day?: number | null;
  opens?: string;
  closes?: string;
  closed?: true;
  from?: string;
  until?: string;
  none?: true;
  source?: string | null;
}

export function addHours(program: AdminCommand): void {
  const hours = program.noun("hours", "when texts may be sent, by the recipient's state and day");
  const show = "the hours of all states, or of one; or when a number may be texted next";
  hours.verb("show [state]", show, "IL --phone +13125550163")
    .takes(phone("--phone <number>", "from when, and until when, this number may be texted"))
    .reads(showHours);

  const set = `the hours of a state, or of "${ALL}" states without hours of their own`;
  hours.verb("set <state>", set, 'IL --opens 09:00 --closes 20:00 --source "815 ILCS 305/1"')
    .takes(
      option("--day <day>", "on this day alone", "a day such as sunday", (given) => {
        const day = DAYS.indexOf(given.toLowerCase());
        return day < 0 ? undefined : day;
      }),
      timeOfDay("--opens <time>", "nothing is sent before, in the recipient's time"),
      timeOfDay("--closes <time>", "nothing is sent from then on"),
      text("--source <text>", "the law, or what else they come from"),
    )
    .option("--closed", "nothing is sent at all: on these dates, or on this day of each week")
    .takes(
      day("--from <date>", "with --closed: the first date; today, unless given"),
      day("--until <date>", "with --closed: the last date; until --none, unless given"),
    )
    .option("--none", "takes the closed dates away, or else the hours, so that the law's or the wider ones count")
    .refuses((_: string, change: Change) => wrongChange(change))
    .runs(setHours);
}

function wrongChange({ day, opens, closes, closed, from, until, none, source }: Change): string | false {
  const dated = from === undefined ? until === undefined ? undefined : "--until" : "--from";
  if ((opens === undefined) !== (closes === undefined) || [opens, closed, none].filter(Boolean).length !== 1) {
    return "give --opens and --closes, or --closed, or --none";
  }
  if (dated !== undefined && (!closed || day != null)) return `${dated}: give it with --closed, and without --day`;
  if (from !== undefined && until !== undefined && until < from) return `--until: ${until} is before --from ${from}`;
  return !none && source === undefined && "give the --source of the hours";
}

async function showHours(
  { sql }: Session,
  given: string | undefined,
  { phone }: { phone?: string },
): Promise<Outcome> {
  const state = given === undefined ? null : readState(given);
  if (state !== null) {
    const [known] = await sql`select from public.area_codes where state = ${state} limit 1`;
    if (known === undefined) {
      throw new CommandError(`<state>: no area code is in "${given}"; give two letters such as IL`);
    }
  }
  if (phone !== undefined) {
    const [hours] = await sql<[{ opens_at: Date; closes_at: Date }]>`
      select * from public.text_hours(${phone}, ${state})`;
    return list([{ phone, ...hours }], "");
  }
  return await hoursOf(sql, given === undefined ? undefined : state);
}

/** The hours of all states, and of one; undefined: of each. */
async function hoursOf(sql: Session["sql"], state: string | null | undefined) {
  const rows = await sql`
    select * from public.hours_list
    where ${state === undefined} or state in (${state ?? ALL}, ${ALL})
    order by state <> ${ALL}, state, starts_on nulls first, day nulls first`;
  return list(rows, "There are no hours, so nothing is sent.", [
    "state",
    "days",
    "hours",
    "source",
  ]);
}

async function setHours({ sql, act }: Session, given: string, change: Change): Promise<Outcome> {
  const { day = null, opens, closes, closed, from = null, until = null, none, source = null } = change;
  const state = readState(given);
  const inForce = async (data: unknown, said: string): Promise<Outcome> => {
    const { text } = await hoursOf(sql, state);
    return { data, text: `${said} In force now, in the recipient's time:\n\n${text}` };
  };
  const subject = { ...(state !== null && { state }), changes: { ...change } };
  if (closed && day === null) {
    const [closure] = await act(
      (transaction) =>
        transaction`
          select c.*, c.starts_on::text, c.ends_on::text
          from public.close_hours(${state}, ${from}, ${until}, ${source}) c`,
      subject,
    );
    return inForce(closure, `Closed the dates ${datesOf(closure!)}, for every text that is not sent yet.`);
  }
  if (none && day === null) {
    const [opened] = await act(
      (transaction) => transaction`select public.open_hours(${state}) as closures`,
      ([opened]) => opened!.closures > 0 ? subject : null,
    );
    if (opened!.closures > 0) return inForce(opened, "Took the closed dates away. The hours count again.");
  }
  const [start, end] = closed ? ["00:00", "00:00"] : [opens ?? null, closes ?? null];
  const set = act(
    (transaction) =>
      transaction`
        select q.* from public.set_texting_hours(${state}, ${day}, ${start}, ${end}, ${source}) q`,
    subject,
  );
  const [hours] = await explained(set, {
    "23514": "--closes: give a time after --opens",
  });
  const done = none ? "Took away" : "Changed";
  return inForce(hours, `${done} the hours, for every text that is not sent yet.`);
}

/** The dates of a closure, as a person reads them. */
function datesOf({ starts_on, ends_on }: { starts_on?: string; ends_on?: string | null }): string {
  return ends_on === null ? `from ${starts_on} on` : `${starts_on} to ${ends_on}`;
}

/** The code of a state as the database has it; null for all states. */
function readState(given: string): string | null {
  return given.toLowerCase() === ALL ? null : namedState(given) ?? given.toUpperCase();
}
