/** Conversations that the bot has, for the scenarios of its turns. */
import { signInNewAgent } from "../support/agents.ts";
import { createAgency, createVendor, sql } from "../support/client.ts";
import { newPhone, receive } from "../support/sms.ts";
import type { Script } from "../../supabase/functions/worker/bot/step.ts";
import { double, work } from "./texts.ts";

const STATE = "XB";
const AREA_CODE = "997";
export const SCRIPT: Script = {
  opening: "Hi {first_name}, this is {agency}. Reply STOP to end.",
  questions: [
    { id: "licensed", ask: "Do you hold a license?", answer: "yes_no", retry: "YES or NO?" },
    { id: "states", ask: "In which states?", answer: "states" },
  ],
  done: "Thank you. {agent} will write to you.",
  handoff: "A person will write to you.",
  handoff_words: ["agent"],
  remind_after: "20h",
};
export const OPENING = "Hi Ada, this is Prairie Life. Reply STOP to end. Do you hold a license?";
export const DONE = "Thank you. Nora Quist will write to you.";

Deno.test.beforeAll(async () => {
  await sql`
    insert into public.area_codes (area_code, state, country, timezones, source)
    values (${AREA_CODE}, ${STATE}, 'US', ${["UTC"]}, 'a test')`;
  await setHours("00:00", "24:00");
});
Deno.test.afterAll(async () => {
  await sql`delete from public.texting_hours where state = ${STATE}`;
  await sql`delete from public.area_codes where area_code = ${AREA_CODE}`;
});

export async function setHours(opens: string, closes: string): Promise<void> {
  await sql`
    insert into public.texting_hours (state, opens, closes, source) values (${STATE}, ${opens}, ${closes}, 'a test')
    on conflict (state, day_of_week) do update set opens = excluded.opens, closes = excluded.closes`;
}

export interface Talk {
  id: string;
  agency_id: string;
  lead_id: string;
  recruit: string;
  service: string;
  agent: Awaited<ReturnType<typeof signInNewAgent>>;
}

/** A conversation that the bot has, of a lead whose agent is signed in. */
export async function createTalk(script: Script | null = SCRIPT): Promise<Talk> {
  const { id: agency_id } = await createAgency(0);
  await sql`update public.agencies set name = 'Prairie Life' where id = ${agency_id}`;
  const agent = await signInNewAgent(agency_id);
  const [recruit, service] = [newPhone().replace("+1312", `+1${AREA_CODE}`), newPhone()];
  await sql`
    insert into public.service_numbers (phone, agency_id, segments_per_second)
    values (${service}, ${agency_id}, 10000)`;
  if (script !== null) {
    await sql`select private.store_bot_script(${agency_id}, ${sql.json(script as never)})`;
  }
  const { id: vendor_id } = await createVendor();
  const [lead] = await sql`
    insert into public.recruiting_leads
      (vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id, distributed_at)
    values (${vendor_id}, 'Ada', ${sql.json({ phone: recruit })}, 'distributed', ${agency_id}, ${agent.agent_id}, now())
    returning id`;
  const [row] = await sql`
    insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
    values (${lead!.id}, ${agency_id}, ${recruit}, ${service}) returning id`;
  return { id: row!.id, agency_id, lead_id: lead!.id, recruit, service, agent };
}

/** The recruit writes, 8 seconds pass, and the worker works. */
export async function say(talk: Talk, ...texts: string[]): Promise<void> {
  for (const Body of texts) await receive(talk, { Body });
  await takeTurn(talk);
}

export async function takeTurn({ id }: Talk): Promise<void> {
  await sql`update public.bot_turns set due_at = now() where conversation_id = ${id}`;
  await work();
}

/** Claims the turns that are due, and reads this one. */
export async function claimTurn({ id }: Talk) {
  const [claimed] = await sql`
    select t -> 'attempt' as attempt from jsonb_array_elements(public.claim_bot_turns(10)) t
    where t ->> 'conversation_id' = ${id}`;
  const [read] = await sql`select public.read_bot_turn(${id}, ${claimed!.attempt}) as turn`;
  return { attempt: claimed!.attempt, ...read!.turn };
}

export const sent = ({ recruit }: Talk) => double.sentTo(recruit).map(({ body }) => body);

export async function stateOf({ id }: Talk) {
  const [row] = await sql`
    select c.status, c.waiting_since, s.state, s.reason, s.question, s.answers, exists (
      select from public.bot_turns t where t.conversation_id = c.id
    ) as has_turn, private.is_opted_out(c.agency_id, c.recruit_phone) as is_opted_out
    from public.recruiting_conversations c left join public.bot_sessions s on s.conversation_id = c.id
    where c.id = ${id}`;
  return row!;
}

export async function notifications({ id }: Talk) {
  const rows = await sql<{ agent_id: string; kind: string; reason: string | null }[]>`
    select agent_id, kind, reason from public.agent_notifications where conversation_id = ${id} order by created_at`;
  return Array.from(rows, (row) => ({ ...row }));
}
