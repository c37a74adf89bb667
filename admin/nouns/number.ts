import type { Command } from "commander";
import type postgres from "postgres";
import { findAgency } from "../find.ts";
import { readServicePhone } from "../lookup.ts";
import { type Nullable, option, orNone, text, toColumns } from "../options.ts";
import { CommandError, explain, type Outcome, type Run, type Session } from "../outcome.ts";
import { formatTable } from "../table.ts";
import { addNoun, addVerb, requireChange } from "../verb.ts";

/** What may be set of a number; what is left out stays as it is. */
interface Settings {
  messagingService?: Nullable<string>;
  segmentsPerSecond?: number;
}

interface NumberRow {
  phone: string;
  agency_id: string;
  messaging_service_sid: string | null;
  segments_per_second: string;
  status: "active" | "paused";
  paused_reason: string | null;
}

export function addNumber(parent: Command, run: Run): void {
  const number = addNoun(parent, "number", "our numbers, which texts are sent from");
  const agency = (description: string) => text("--agency <agency>", description);
  const settings = [
    () =>
      orNone(
        option(
          "--messaging-service <sid>",
          "Twilio's messaging service of the number",
          "MG and 32 digits from 0 to f",
          (given) => /^MG[0-9a-f]{32}$/.test(given) ? given : undefined,
        ),
      ),
    () =>
      option(
        "--segments-per-second <number>",
        "how many segments it may send in a second, which its registration says; 1 unless given",
        "a number above 0",
        (given) => /^\d+(\.\d+)?$/.test(given) && Number(given) > 0 ? Number(given) : undefined,
      ),
  ];

  addVerb(number, "list", "our numbers, and how many texts wait for each", "list")
    .addOption(agency("only this agency's; its id, the beginning of its id, or its name"))
    .action((filter: { agency?: string }) => run(({ sql }) => listNumbers(sql, filter.agency)));

  const add = addVerb(
    number,
    "add <phone>",
    "a number that texts may be sent from, at once; a short code too",
    'add +13125550100 --agency "Lakeshore Insurance"',
  ).addOption(
    agency("the agency: its id, the beginning of its id, or its name").makeOptionMandatory(),
  );
  for (const setting of settings) add.addOption(setting());
  add.action((given: string, options: Settings & { agency: string }) => {
    const phone = readServicePhone(given);
    return run(({ sql }) => addServiceNumber(sql, phone, options));
  });

  const set = addVerb(
    number,
    "set <phone>",
    "changes what is given, and nothing else",
    "set +13125550100 --segments-per-second 4.5",
  );
  for (const setting of settings) set.addOption(setting());
  set.action((given: string, options: Settings, command: Command) => {
    requireChange(options, command);
    const phone = readServicePhone(given);
    return run(({ sql }) => setNumber(sql, phone, options));
  });

  addVerb(
    number,
    "pause <phone>",
    "holds what is to be sent from the number; it still receives",
    'pause +13125550100 --reason "the campaign is not registered yet"',
  )
    .addOption(text("--reason <text>", "why, for whoever looks at what is held"))
    .action((given: string, { reason }: { reason?: string }) => {
      const phone = readServicePhone(given);
      return run(({ sql }) => pauseNumber(sql, phone, reason ?? null));
    });

  addVerb(number, "resume <phone>", "sends what was held, and what comes", "resume +13125550100")
    .action((given: string) => {
      const phone = readServicePhone(given);
      return run(({ sql }) => resumeNumber(sql, phone));
    });

  addVerb(
    number,
    "remove <phone>",
    "the number is not ours any more: nothing is sent from it",
    "remove +13125550100",
  )
    .action((given: string) => {
      const phone = readServicePhone(given);
      return run((session) => removeNumber(session, phone));
    });
}

async function listNumbers(sql: postgres.Sql, agency: string | undefined): Promise<Outcome> {
  const agencyId = agency === undefined ? null : (await findAgency(sql, agency)).id;
  const numbers = await sql`
    select n.phone, n.agency_id, g.name as agency, n.status, n.paused_reason, n.messaging_service_sid,
      n.segments_per_second::float8 as segments_per_second,
      (select count(*) from public.recruiting_conversations c where c.service_phone = n.phone)::int
        as conversations,
      (select count(*) from public.text_outbox o where o.service_phone = n.phone and o.state = 'pending')::int
        as waiting
    from public.service_numbers n
    join public.agencies g on g.id = n.agency_id
    where ${agencyId}::uuid is null or n.agency_id = ${agencyId}
    order by g.name, n.phone`;
  const rows = numbers.map(({ agency_id: _, ...row }) => row);
  const none = "There is no number yet, so nothing is sent: npm run admin -- number add --help";
  return { data: numbers, text: numbers.length > 0 ? formatTable(rows) : none };
}

async function addServiceNumber(
  sql: postgres.Sql,
  phone: string,
  { agency: given, ...settings }: Settings & { agency: string },
): Promise<Outcome> {
  const agency = await findAgency(sql, given);
  try {
    const [number] = await sql<[NumberRow]>`
      insert into public.service_numbers ${
      sql({ phone, agency_id: agency.id, ...columnsOf(settings) })
    } returning *`;
    return {
      data: number,
      text:
        `${phone} is a number of "${agency.name}" now. docs/texting.md says how it is set up at Twilio.`,
    };
  } catch (error) {
    throw explain(error, {
      "23505": `${phone} is one of our numbers already: npm run admin -- number list`,
    });
  }
}

async function setNumber(sql: postgres.Sql, phone: string, settings: Settings): Promise<Outcome> {
  const [number] = await sql<NumberRow[]>`
    update public.service_numbers set ${
    sql(columnsOf(settings))
  } where phone = ${phone} returning *`;
  return { data: required(number, phone), text: `Changed ${phone}. It takes effect at once.` };
}

async function pauseNumber(
  sql: postgres.Sql,
  phone: string,
  reason: string | null,
): Promise<Outcome> {
  const [number] = await sql<NumberRow[]>`
    update public.service_numbers set status = 'paused', paused_reason = ${reason}
    where phone = ${phone} returning *`;
  return {
    data: required(number, phone),
    text: `${phone} is paused: texts wait until npm run admin -- number resume ${phone}`,
  };
}

async function resumeNumber(sql: postgres.Sql, phone: string): Promise<Outcome> {
  const [number] = await sql<NumberRow[]>`
    update public.service_numbers set status = 'active' where phone = ${phone} returning *`;
  const row = required(number, phone);
  return {
    data: row,
    text: `${phone} is active. Texts that wait for it: ${await countWaiting(sql, phone)}`,
  };
}

async function removeNumber({ sql, confirm }: Session, phone: string): Promise<Outcome> {
  const waiting = await countWaiting(sql, phone);
  if (waiting > 0) {
    await confirm(`${waiting} texts wait to be sent from ${phone} and would wait for ever.`);
  }
  const [number] = await sql<NumberRow[]>`
    delete from public.service_numbers where phone = ${phone} returning *`;
  return {
    data: required(number, phone),
    text: `${phone} is not one of our numbers any more. Its conversations stay.`,
  };
}

async function countWaiting(sql: postgres.Sql, phone: string): Promise<number> {
  const [{ waiting }] = await sql<[{ waiting: number }]>`
    select count(*)::int as waiting from public.text_outbox o
    where o.service_phone = ${phone} and o.state in ('pending', 'sending', 'unconfirmed')`;
  return waiting;
}

function columnsOf({ messagingService, segmentsPerSecond }: Settings) {
  return toColumns({
    messaging_service_sid: messagingService,
    segments_per_second: segmentsPerSecond,
  });
}

function required(number: NumberRow | undefined, phone: string): NumberRow {
  if (number !== undefined) return number;
  throw new CommandError(`${phone} is not one of our numbers. See npm run admin -- number list`);
}
