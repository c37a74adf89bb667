import type { AdminCommand } from "../command.ts";
import { stateCode } from "../../supabase/functions/recruiting/parsers/states.ts";
import { explained, inOptions } from "../errors.ts";
import { readPhone } from "../lookup.ts";
import { option, text } from "../options.ts";
import { list } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const ALL = "all";

const time = (flags: string, description: string) =>
  option(
    flags,
    description,
    "a time such as 08:00",
    (given) => /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/.test(given) ? given : undefined,
  );

interface Change {
  day?: number | null;
  opens?: string;
  closes?: string;
  closed?: true;
  none?: true;
  source?: string | null;
}

export function addHours(program: AdminCommand): void {
  const hours = program.noun("hours", "when texts may be sent, by the recipient's state and day");
  const show = "the hours of all states, or of one; or when a number may be texted next";
  hours.verb("show [state]", show, "IL --phone +13125550163")
    .takes(text("--phone <number>", "from when, and until when, this number may be texted"))
    .runs(showHours);

  const set = `the hours of a state, or of "${ALL}" states without hours of their own`;
  hours.verb("set <state>", set, 'IL --opens 09:00 --closes 20:00 --source "815 ILCS 305/1"')
    .takes(
      option("--day <day>", "on this day alone", "a day such as sunday", (given) => {
        const day = DAYS.indexOf(given.toLowerCase());
        return day < 0 ? undefined : day;
      }),
      time("--opens <time>", "nothing is sent before, in the recipient's time"),
      time("--closes <time>", "nothing is sent from then on"),
      text("--source <text>", "the law, or what else they come from"),
    )
    .option("--closed", "nothing is sent at all")
    .option("--none", "takes the hours away, so that the wider ones count")
    .refuses((_: string, { opens, closes, closed, none, source }: Change) =>
      (opens === undefined) !== (closes === undefined) ||
        [opens, closed, none].filter(Boolean).length !== 1
        ? "give --opens and --closes, or --closed, or --none"
        : !none && source === undefined && "give the --source of the hours"
    )
    .runs(setHours);
}

async function showHours(
  { sql }: Session,
  given: string | undefined,
  { phone }: { phone?: string },
): Promise<Outcome> {
  const state = given === undefined ? null : readState(given);
  if (phone !== undefined) {
    const number = readPhone(phone);
    const [hours] = await sql<[{ opens_at: Date; closes_at: Date }]>`
      select * from public.text_hours(${number}, ${state})`;
    return list([{ phone: number, ...hours }], "");
  }
  const rows = await sql`
    select * from public.hours_list
    where ${given === undefined} or state in (${state}, ${ALL})
    order by state <> ${ALL}, state, day nulls first`;
  return list(rows, "There are no hours, so nothing is sent.", [
    "state",
    "days",
    "hours",
    "source",
  ]);
}

async function setHours(
  { sql }: Session,
  given: string,
  { day = null, opens, closes, closed, none, source = null }: Change,
): Promise<Outcome> {
  const [from, to] = closed ? ["00:00", "00:00"] : [opens ?? null, closes ?? null];
  const set = sql`
    select q.* from public.set_quiet_hours(${readState(given)}, ${day}, ${from}, ${to}, ${source}) q`;
  const [hours] = await explained(inOptions(set, { state: "<state>" }), {
    "23514": "--closes: give a time after --opens",
  });
  const done = none ? "Took away" : "Changed";
  return { data: hours, text: `${done} the hours, for every text that is not sent yet.` };
}

/** The code of a state as the database has it; null for all states. */
function readState(given: string): string | null {
  return given.toLowerCase() === ALL ? null : stateCode(given) ?? given.toUpperCase();
}
