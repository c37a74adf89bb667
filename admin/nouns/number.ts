import type postgres from "postgres";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { CommandError, explained } from "../errors.ts";
import { findAgency, type Row } from "../find.ts";
import { AGENCY, columnsOf, type Given, ONLY_AGENCY, option, orNone, SERVICE_PHONE, text } from "../options.ts";
import { lists } from "../lists.ts";
import type { Outcome, Session, Subject } from "../session.ts";

const SETTINGS = {
  messaging_service_sid: orNone(
    option(
      "--messaging-service <sid>",
      "Twilio's messaging service of the number",
      "MG and 32 digits from 0 to f",
      (given) => /^MG[0-9a-f]{32}$/.test(given) ? given : undefined,
    ),
  ),
  segments_per_second: option(
    "--segments-per-second <number>",
    "how many segments it may send in a second, which its registration says; 1 unless given",
    "a number above 0",
    (given) => /^\d+(\.\d+)?$/.test(given) && Number(given) > 0 ? Number(given) : undefined,
  ),
};

export function addNumber(program: AdminCommand): void {
  const number = program.noun("number", "our numbers, which texts are sent from");
  number.verb("list", "our numbers, and how many texts wait for each")
    .takes(ONLY_AGENCY)
    .reads(lists("number_list", {
      order: "agency, phone",
      none: "No number is ours yet, so nothing is sent: npm run admin -- number add --help",
    }));

  const verb = (...words: Parameters<typeof number.verb>) => number.verb(...words).addArgument(SERVICE_PHONE);

  const add = "a number that texts may be sent from, at once; a short code too";
  verb("add", add, '+13125550100 --agency "Lakeshore Insurance"')
    .needs(AGENCY)
    .takes(...Object.values(SETTINGS))
    .runs(addServiceNumber);

  verb("set", "changes what is given, and nothing else", "+13125550100 --segments-per-second 4.5")
    .changes(SETTINGS)
    .runs(async (session, phone: string, given: Given) => {
      const changes = columnsOf(SETTINGS, given);
      return {
        data: await update(session, phone, changes, { changes }),
        text: `Changed ${phone}. It takes effect at once.`,
      };
    });

  const pause = "holds what is to be sent from the number; it still receives";
  verb("pause", pause, '+13125550100 --reason "the campaign is not registered yet"')
    .takes(text("--reason <text>", "the reason, shown beside the texts that wait"))
    .runs(async (session, phone: string, { reason = null }: { reason?: string | null }) => ({
      data: await update(session, phone, { status: "paused", paused_reason: reason }, {}),
      text: `${phone} is paused: texts wait until npm run admin -- number resume ${phone}`,
    }));

  verb("resume", "sends what was held, and what comes", "+13125550100")
    .runs(async ({ sql, act }, phone: string) => ({
      data: await explained(
        act(
          (transaction) =>
            valueOf<Row<"service_numbers">>(transaction`select to_jsonb(public.resume_number(${phone}))`),
          { service_phone: phone },
        ),
        { PT404: unknown(phone) },
      ),
      text: `${phone} is active. Texts that wait for it: ${await countWaiting(sql, phone)}`,
    }));

  verb("remove", "the number is not ours any more: nothing is sent from it", "+13125550100")
    .runs(removeNumber);
}

async function addServiceNumber(
  { sql, act }: Session,
  phone: string,
  given: Given & { agency: string },
): Promise<Outcome> {
  const agency = await findAgency(sql, given.agency);
  const columns = { phone, agency_id: agency.id, ...columnsOf(SETTINGS, given) };
  const [number] = await explained(
    act(
      (transaction) => transaction`insert into public.service_numbers ${sql(columns)} returning *`,
      { service_phone: phone, agency_id: agency.id },
    ),
    { "23505": `${phone} is one of our numbers already: npm run admin -- number list` },
  );
  return {
    data: number,
    text: `${phone} is a number of "${agency.name}" now. docs/texting.md says how it is set up at Twilio.`,
  };
}

async function removeNumber(session: Session, phone: string): Promise<Outcome> {
  const { sql, confirm } = session;
  const waiting = await countWaiting(sql, phone);
  if (waiting > 0) {
    await confirm(`${waiting} texts wait to be sent from ${phone} and would wait for ever.`);
  }
  const data = await change(session, phone, sql`delete from public.service_numbers`, {});
  return { data, text: `${phone} is not one of our numbers any more. Its conversations stay.` };
}

function countWaiting(sql: Session["sql"], phone: string): Promise<number> {
  return valueOf(sql`
    select count(*)::int from public.text_outbox o
    where o.service_phone = ${phone} and o.state in ('pending', 'sending', 'unconfirmed')`);
}

function update(session: Session, phone: string, columns: ReturnType<typeof columnsOf>, about: Subject) {
  return change(session, phone, session.sql`update public.service_numbers set ${session.sql(columns)}`, about);
}

/** Runs an update or a deletion, which this completes, for one of our numbers. */
function change(
  { act }: Session,
  phone: string,
  statement: postgres.Fragment,
  about: Subject,
): Promise<Row<"service_numbers">> {
  return act(
    async (transaction) => {
      const [number] = await transaction<Row<"service_numbers">[]>`${statement} where phone = ${phone} returning *`;
      if (number === undefined) throw new CommandError(unknown(phone));
      return number;
    },
    { service_phone: phone, ...about },
  );
}

function unknown(phone: string): string {
  return `${phone} is not one of our numbers. See npm run admin -- number list`;
}
