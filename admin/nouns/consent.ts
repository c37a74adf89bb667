import type { Command } from "commander";
import type postgres from "postgres";
import { findAgency } from "../find.ts";
import { readPhone } from "../lookup.ts";
import { choice, integer, text } from "../options.ts";
import type { Outcome, Run, Session } from "../outcome.ts";
import { formatTable, listed } from "../table.ts";
import { addNoun, addVerb } from "../verb.ts";

const STATES = ["opted_in", "opted_out"] as const;
type State = typeof STATES[number];

interface Filter {
  agency?: string;
  state?: State;
  limit: number;
}

/** A consent that somebody else than the recruit records. */
interface Recorded {
  agency: string;
  state: State;
  reason: string;
}

export function addConsent(parent: Command, run: Run): void {
  const consent = addNoun(parent, "consent", "whether a recruit may be texted, and why");
  const agency = (description: string) => text("--agency <agency>", description);
  const state = () => choice("--state <state>", "what holds", STATES);

  addVerb(
    consent,
    "show <phone>",
    "what a recruit has said to each agency, and what holds now",
    "show +13125550142",
  )
    .action((given: string) => {
      const phone = readPhone(given);
      return run(({ sql }) => showConsent(sql, phone));
    });

  addVerb(
    consent,
    "list",
    "what holds for each recruit who has said something, the newest first",
    "list --state opted_out",
  )
    .addOption(agency("only this agency's; its id, the beginning of its id, or its name"))
    .addOption(state())
    .addOption(integer("--limit <number>", "how many at most", 1).default(50))
    .action((filter: Filter) => run(({ sql }) => listConsents(sql, filter)));

  addVerb(
    consent,
    "record <phone>",
    "what the recruit has said in another way than by text, with the proof",
    'record +13125550142 --agency "Lakeshore Insurance" --state opted_out --reason "by phone, July 1"',
  )
    .addOption(
      agency("the agency: its id, the beginning of its id, or its name").makeOptionMandatory(),
    )
    .addOption(state().makeOptionMandatory())
    .addOption(text("--reason <text>", "when and how it was said").makeOptionMandatory())
    .action((given: string, recorded: Recorded) => {
      const phone = readPhone(given);
      return run((session) => recordConsent(session, phone, recorded));
    });
}

async function showConsent(sql: postgres.Sql, phone: string): Promise<Outcome> {
  const consents = await sql`
    select g.name as agency, c.agency_id, c.state, c.source, c.changed_at
    from public.text_consents c
    join public.agencies g on g.id = c.agency_id
    where c.phone = ${phone}
    order by g.name, g.id`;
  const events = await sql`
    select e.occurred_at, g.name as agency, e.agency_id, e.state, e.source, e.words, e.reason,
      concat_ws(' ', a.first_name, a.last_name) as manager, e.message_id
    from public.text_consent_events e
    join public.agencies g on g.id = e.agency_id
    left join public.agents a on a.id = e.agent_id
    where e.phone = ${phone}
    order by e.occurred_at, e.created_at, e.id`;
  const now = consents.map(({ agency, state, changed_at }) =>
    `${state.replace("_", " ")} for "${agency}" since ${changed_at.toISOString()}`
  );
  const history = events.map(({ agency_id: _, ...row }) => row);
  return {
    data: { phone, consents, events },
    text: consents.length === 0
      ? `${phone} has said nothing to any agency.`
      : `${now.join("\n")}\n\n${formatTable(history)}`,
  };
}

async function listConsents(sql: postgres.Sql, { agency, state, limit }: Filter): Promise<Outcome> {
  const agencyId = agency === undefined ? null : (await findAgency(sql, agency)).id;
  const isMeant = () =>
    sql`(${agencyId}::uuid is null or c.agency_id = ${agencyId})
      and (${state ?? null}::text is null or c.state = ${state ?? null})`;
  const consents = await sql`
    select c.changed_at, c.phone, g.name as agency, c.state, c.source
    from public.text_consents c
    join public.agencies g on g.id = c.agency_id
    where ${isMeant()}
    order by c.changed_at desc, c.phone limit ${limit}`;
  const [{ total }] = await sql<[{ total: number }]>`
    select count(*)::int as total from public.text_consents c where ${isMeant()}`;
  return { data: consents, text: listed(consents, total, "No recruit has said anything.") };
}

async function recordConsent(
  { sql, confirm }: Session,
  phone: string,
  { agency: given, state, reason }: Recorded,
): Promise<Outcome> {
  const agency = await findAgency(sql, given);
  const [{ opted_out }] = await sql<[{ opted_out: boolean }]>`
    select private.is_opted_out(${agency.id}, ${phone}) as opted_out`;
  if (opted_out && state === "opted_in") {
    await confirm(`${phone} has opted out of texts from "${agency.name}". Has the recruit agreed?`);
  }
  await sql`
    select private.record_consent(
      agency_id => ${agency.id}, phone => ${phone}, state => ${state}, source => 'admin',
      reason => ${reason}
    )`;
  return {
    data: { phone, agency_id: agency.id, state, reason },
    text: `Recorded: ${phone} has opted ${
      state === "opted_out" ? "out of" : "in to"
    } texts from "${agency.name}".`,
  };
}
