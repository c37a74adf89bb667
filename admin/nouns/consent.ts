import { Argument } from "commander";
import type { AdminCommand } from "../command.ts";
import { findAgency, findAgencyId } from "../find.ts";
import { readPhone } from "../lookup.ts";
import { AGENCY, choice, LIMIT, ONLY_AGENCY, text } from "../options.ts";
import { listFirst, type Outcome, type Session } from "../session.ts";
import { formatTable } from "../table.ts";

const PHONE = new Argument("<phone>").argParser(readPhone);
const STATE = choice("--state <state>", "what holds", ["opted_in", "opted_out"]);

/** A consent that somebody else than the recruit records. */
interface Recorded {
  agency: string;
  state: "opted_in" | "opted_out";
  reason: string;
}

export function addConsent(program: AdminCommand): void {
  const consent = program.noun("consent", "whether a recruit may be texted, and why");
  const show = "what a recruit has said to each agency, and what holds now";
  consent.verb("show", show, "+13125550142")
    .addArgument(PHONE)
    .runs(showConsent);

  const list = "what holds for each recruit who has said something, the newest first";
  consent.verb("list", list, "--state opted_out")
    .takes(ONLY_AGENCY, STATE, LIMIT)
    .runs(listConsents);

  consent
    .verb(
      "record",
      "what the recruit has said in another way than by text, with the proof",
      '+13125550142 --agency "Lakeshore Insurance" --state opted_out --reason "by phone, July 1"',
    )
    .addArgument(PHONE)
    .needs(AGENCY, STATE, text("--reason <text>", "when and how it was said"))
    .runs(recordConsent);
}

async function showConsent({ sql }: Session, phone: string): Promise<Outcome> {
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
  return {
    data: { phone, consents, events },
    text: consents.length === 0
      ? `${phone} has said nothing to any agency.`
      : `${now.join("\n")}\n\n${formatTable(events)}`,
  };
}

async function listConsents(
  { sql }: Session,
  { agency, state = null, limit }: { agency?: string; state?: string | null; limit: number },
): Promise<Outcome> {
  const agencyId = await findAgencyId(sql, agency);
  const consents = sql`
    select c.changed_at, c.phone, g.name as agency, c.state, c.source
    from public.text_consents c
    join public.agencies g on g.id = c.agency_id
    where (${agencyId}::uuid is null or c.agency_id = ${agencyId})
      and (${state}::text is null or c.state = ${state})
    order by c.changed_at desc, c.phone`;
  return await listFirst(
    sql,
    limit,
    consents,
    `No recruit has ${state?.replace("_", " ") ?? "said anything"}.`,
  );
}

async function recordConsent(
  { sql, confirm }: Session,
  phone: string,
  { agency: name, state, reason }: Recorded,
): Promise<Outcome> {
  const agency = await findAgency(sql, name);
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
  const what = state === "opted_out" ? "out of" : "in to";
  return {
    data: { phone, agency_id: agency.id, state, reason },
    text: `Recorded: ${phone} has opted ${what} texts from "${agency.name}".`,
  };
}
