import type postgres from "postgres";
import { notifyAgents, type StackInfo } from "../local/mod.ts";
import { Random } from "../testing/random.ts";
import type { TwilioDouble } from "../testing/twilio/double.ts";
import { asUser } from "./agencies.ts";
import { AGENCIES, LEAVES, loginOf, VENDORS } from "./cast.ts";
import { moveClock, passTime, type Story } from "./clock.ts";
import { Applicants, planLeads, type PlannedLead } from "./plan.ts";
import { Recruit, textUs } from "./recruits.ts";
import { present, salesLeads } from "./sales.ts";
import { newForm, type VendorClient } from "./vendors.ts";

/** What the world is made with. */
export interface Tools {
  stack: StackInfo;
  sql: postgres.Sql;
  twilio: TwilioDouble;
  vendors: VendorClient;
}

/** Of the leads, so many write back. */
const ANSWERED = 2 / 7;
/** At most so many turns has a conversation of the corpus. */
const TURNS = 14;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A planned lead that was stored, or a rejected delivery, by its id. */
interface Stored {
  id: string;
  lead: PlannedLead;
}

/**
 * Makes the 30 days of the world, all within seconds, and moves the clock. The same seed makes the same. Returns it in a
 * line.
 *
 * @param leads how many vendors post
 */
export async function makeWorld(tools: Tools, seed: number, leads: number): Promise<string> {
  const { sql } = tools;
  // No page is open yet that an event could reach.
  await sql`alter system set lead_intake.broadcasts_left = '0'`;
  await sql`select pg_reload_conf()`;
  const now = new Date();
  const random = new Random(seed);
  const began = new Date();
  const planned = planLeads(new Applicants(random), now, leads);
  const stored = await postLeads(tools, planned);
  const posted = new Date();
  await talk(tools, stored, random, Math.round(leads * ANSWERED));
  const texts = new Date();
  await act(tools, stored, seed);
  const sales = await present(sql, now);
  const world = await count(sql);
  const stories = stored.map(({ id, lead }) => storyOf(id, lead, now, random));
  await moveClock(sql, { began, leads: posted, texts }, [...stories, ...sales]);
  await sql`update public.service_numbers set segments_per_second = 100`;
  await sql`alter system reset lead_intake.broadcasts_left`;
  await sql`select pg_reload_conf()`;
  await sql`select private.check_alerts()`;
  return world;
}

/** The world in a line. */
async function count(sql: postgres.Sql): Promise<string> {
  const [counts] = await sql`
    select (select count(*) from public.recruiting_leads) as leads,
      (select count(*) from public.recruiting_leads where distribution = 'unmatched') as waiting,
      (select count(*) from public.recruiting_lead_duplicates) as duplicates,
      (select count(*) from (
        select from public.recruiting_leads where phone is not null group by phone having count(*) > 1
      ) people) as "people twice",
      (select count(*) from public.rejected_deliveries) as "rejected deliveries",
      (select count(*) from public.lead_returns) as returned,
      (select count(distinct conversation_id) from public.recruiting_messages where direction = 'inbound') as conversations,
      (select count(*) from public.recruiting_messages) as texts,
      (select count(*) from public.text_consents where state = 'opted_out') as "opt-outs",
      (select count(*) from public.recruit_stages where stage = 'hired') as hired,
      (select count(*) from private.dispatches) as dispatches`;
  return Object.entries(counts!).map(([what, number]) => `${number} ${what}`).join(", ");
}

/** Each vendor posts its leads one after another, so that each order gets the same ones each time. */
async function postLeads({ vendors, sql, stack }: Tools, planned: PlannedLead[]): Promise<Stored[]> {
  const stored: Stored[] = [];
  const requests = new Map<unknown, PlannedLead>();
  const post = async (lead: PlannedLead) => {
    const { body } = await vendors.post(lead);
    if (body.status === "created") stored.push({ id: body.id as string, lead });
  };
  await Promise.all(VENDORS.map(async (vendor) => {
    const own = planned.filter((lead) => lead.vendor === vendor && !lead.isRepeat);
    for (const [n, lead] of own.entries()) {
      await post(lead);
      // What vendors do wrong: they send a lead twice, leave the name out, or change their form without a word.
      if (n % 20 === 7 && vendor.kind !== "meta") await vendors.post(lead);
      const id = `${lead.id}-again`;
      const isFair = vendor.parser === "mapping";
      const mistake = isFair && n >= own.length - 14
        ? newForm({ ...lead, id, phone: lead.phone.replace("555", "556") })
        : !isFair && vendor.kind === "key" && n % 25 === 9
        ? { vendor_lead_id: id, response_id: id, phone: lead.phone }
        : null;
      if (mistake) requests.set((await vendors.send(vendor, mistake)).body.request_id, lead);
    }
  }));
  await ruleRepeats(sql, planned);
  for (const lead of planned.filter(({ isRepeat }) => isRepeat)) await post(lead);
  await fetch(`${stack.functions_url}/api/leads/import`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": stack.leads_import_api_key },
    body: JSON.stringify(await salesLeads(sql, planned.slice(0, 24))),
  }).then((response) => response.body?.cancel());
  await until(async () => {
    const [fetches] =
      await sql`select count(*) filter (where state = 'waiting')::integer as waiting from private.lead_fetches`;
    return fetches!.waiting === 0 ? null : `${fetches!.waiting} leads are fetched`;
  });
  const fetched =
    await sql`select leadgen_id, lead_id as id from private.lead_fetches where lead_id is not null order by leadgen_id`;
  const byId = new Map(planned.map((lead) => [lead.id, lead]));
  for (const { leadgen_id, id } of fetched) stored.push({ id, lead: byId.get(leadgen_id)! });
  const rejected = await sql`select id, request_id from public.rejected_deliveries`;
  for (const { id, request_id } of rejected) {
    const lead = requests.get(request_id);
    if (lead) stored.push({ id, lead });
  }
  // Vendors have posted at the same time, and what follows must not depend on who was faster.
  return stored.sort((one, other) => other.lead.age - one.lead.age);
}

/** Repeats go to the same agent in Chicago, and are held if Lead House sells them. One person is suppressed. */
async function ruleRepeats(sql: postgres.Sql, planned: PlannedLead[]): Promise<void> {
  await sql`
    insert into public.repeat_rules (vendor_id, agency_id, match, within, action)
    values (null, ${AGENCIES[0]!.id}, '{phone,email}', '90 days', 'same_agent'),
      ((select id from public.vendors where slug = 'lead-house'), null, '{phone,email}', '90 days', 'hold')`;
  const complained = planned.findLast(({ isRepeat }) => isRepeat)!;
  await sql`select public.add_suppression(${complained.phone}, 'Asked not to be called')`;
}

/** People are greeted, write back, and the bot goes on with them. Each turn is taken for all at once. */
async function talk(tools: Tools, stored: Stored[], random: Random, count: number): Promise<void> {
  const { sql, twilio, stack } = tools;
  const agencies = new Map(AGENCIES.map(({ id, phone }) => [id, phone]));
  const reachable = await sql`
    select l.id, l.agency_id from public.recruiting_leads l
    join public.recruiting_orders o on o.id = l.order_id and o.greeting_template is not null
    join public.vendors v on v.id = l.vendor_id and v.has_text_consent
    where l.state is distinct from 'NV'`;
  const serviceOf = new Map(reachable.map(({ id, agency_id }) => [id, agencies.get(agency_id)!]));
  const greeted = stored.filter(({ id }) => serviceOf.has(id));
  // To some numbers nothing can be sent.
  for (const { lead } of greeted.slice(3, 9)) twilio.fail({ to: lead.phone, code: 21614 });
  const people = new Map(greeted.slice(9).map((one) => [one.lead.phone, one]));
  const recruits = random.shuffle([...people.values()]).slice(0, count).map(({ id, lead }, n) =>
    // Every second one stops to answer some time.
    new Recruit(lead.phone, serviceOf.get(id)!, n * 7, random.happens(0.5))
  );
  const said = new Map<string, string>();
  twilio.onAccepted = ({ to, body }) => said.set(to, body);
  twilio.callBack({ statuses: ["delivered"] });
  await work(tools);
  for (let turn = 0; turn < TURNS; turn++) {
    const optedOut = await sql`select phone from public.text_consents where state = 'opted_out'`;
    const silent = new Set(optedOut.map(({ phone }) => phone));
    const replies = recruits.filter(({ phone }) => !silent.has(phone)).map((recruit) => ({
      recruit,
      texts: recruit.reply(said.get(recruit.phone) ?? ""),
    }))
      .filter(({ texts }) => texts.length > 0);
    if (replies.length === 0) break;
    await inParallel(replies, async ({ recruit, texts }) => {
      for (const text of texts) await textUs(stack, twilio, recruit, text);
    });
    await work(tools);
  }
  twilio.callBack();
  twilio.onAccepted = () => {};
}

/** What agents and operators do: they answer, move recruits on, write notes, and return leads. */
async function act(tools: Tools, stored: Stored[], seed: number): Promise<void> {
  const { sql } = tools;
  const leads = await sql`
    select l.id, a.email, c.id as conversation, c.waiting_since is not null as waits
    from public.recruiting_leads l
    join public.agents a on a.id = l.agent_id
    left join public.recruiting_conversations c on c.recruiting_lead_id = l.id and c.agency_id = l.agency_id`;
  const known = new Map(leads.map((lead) => [lead.id, lead]));
  const byAgent = new Map<string, ((sql: postgres.TransactionSql) => Promise<unknown>)[]>();
  const does = (email: string, act: (sql: postgres.TransactionSql) => Promise<unknown>) =>
    byAgent.set(email, [...byAgent.get(email) ?? [], act]);
  for (const [n, { id, lead }] of stored.entries()) {
    // Each lead has its own, so that nothing depends on how fast the others were.
    const random = new Random(seed + n * 7_919);
    const { email, conversation, waits } = known.get(id) ?? {};
    if (!email) continue;
    const isOld = !lead.isRecent;
    if (waits && (isOld || random.happens(0.3))) {
      const words = random.pick(ANSWERS).replace("{name}", lead.first);
      does(
        email,
        (sql) =>
          sql.savepoint((sql) => sql`select public.send_text(${conversation}, ${words}, ${crypto.randomUUID()})`)
            // An opt-out, or a conversation that is a colleague's: nothing overrides that.
            .catch(() => {}),
      );
    }
    const stages = isOld ? random.pick(STAGES) : [];
    for (const stage of stages) does(email, (sql) => sql`select public.set_recruit_stage(${id}, ${stage})`);
    if (isOld && random.happens(0.12)) {
      const note = random.pick(NOTES);
      does(email, (sql) => sql`select public.add_note(${id}, ${note})`);
    }
  }
  const recent = stored.filter(({ lead }) => lead.isRecent).map(({ id }) => id);
  await inParallel(AGENCIES.flatMap(({ people }) => people.map(loginOf)), async (email) => {
    await asUser(sql, email, async (sql) => {
      for (const act of byAgent.get(email) ?? []) await act(sql);
      await sql`
        select public.mark_read(array(
          select n.id from public.agent_notifications n
          left join public.recruiting_conversations c on c.id = n.conversation_id
          where coalesce(n.lead_id, c.recruiting_lead_id) <> all (${recent}::uuid[])
        ))`;
      await sql`
        select public.read_conversation(c.id, now())
        from public.agents a
        join public.recruiting_conversations c on c.agency_id = a.agency_id
        join public.recruiting_leads l on l.id = c.recruiting_lead_id and l.id <> all (${recent}::uuid[])
        where a.email = ${email} and (a.role = 'manager' or a.id in (c.assigned_agent_id, l.agent_id))`;
    });
  });
  await work(tools);
  const returned = stored.filter(({ id, lead }) => known.has(id) && !lead.isRecent);
  for (const [n, { id }] of returned.filter((_, n) => n % 60 === 30).entries()) {
    await sql`select public.return_lead(${id}, ${RETURNS[n % RETURNS.length]!})`;
  }
  for (const { id, orders } of AGENCIES) {
    for (const { later, vendor, settings } of orders) {
      const [order] = await sql`
        select o.id, o.filled from public.recruiting_orders o left join public.vendors v on v.id = o.vendor_id
        where o.agency_id = ${id} and v.slug is not distinct from ${vendor ?? null}
          and o.quantity = ${settings.quantity as number}`;
      if (later === "nearly full") {
        await sql`select public.change_order(${order!.id}, ${sql.json({ quantity: order!.filled + 3 })})`;
      }
      if (later === "paused") await sql`select public.change_order(${order!.id}, ${sql.json({ status: "paused" })})`;
    }
  }
  const { people } = AGENCIES.find(({ people }) => people.some(({ first, last }) => `${first} ${last}` === LEAVES))!;
  const leaving = loginOf(people.find(({ first, last }) => `${first} ${last}` === LEAVES)!);
  await asUser(
    sql,
    loginOf(people.find(({ role }) => role === "manager")!),
    (sql) => sql`select public.leave_agent((select id from public.agents where email = ${leaving}))`,
  );
  await work(tools);
}

export const ANSWERS = [
  "Hi {name}, thank you for writing. Does a call tomorrow at 10 work?",
  "Good to hear from you, {name}. I have sent you the details by e-mail.",
  "Thanks {name}! The course takes two weeks, and we pay for it. Shall I sign you up?",
  "Hi {name}, no worries. Text me when you have a minute.",
];
/** The stages that recruits pass through: of thirty, so many get as far. */
const STAGES = ([[6, []], [12, ["contacted"]], [5, ["contacted", "lost"]], [4, ["contacted", "interview"]], [
  2,
  ["contacted", "interview", "licensed"],
], [1, ["contacted", "interview", "licensed", "hired"]]] as [number, string[]][])
  .flatMap(([times, stages]) => Array.from({ length: times }, () => stages));
const NOTES = [
  "Prefers calls after five.",
  "Sold cars for six years, wants to work from home.",
  "Takes the exam on the 14th. Ask how it went.",
  "Left a message. Try again on Monday.",
];
const RETURNS = ["The number belongs to somebody else", "Never applied", "Lives in another state"];

/** When a lead was received, until when its recruit was texted, and until when agents did something. */
function storyOf(id: string, { age }: PlannedLead, now: Date, random: Random): Story {
  const texted = Math.max(age - (10 + random.next() * 110) * MINUTE, age / 4);
  const done = Math.max(texted - random.next() * 5 * DAY, texted / 4);
  return {
    id,
    received: new Date(now.getTime() - age),
    texted: new Date(now.getTime() - texted),
    done: new Date(now.getTime() - done),
  };
}

/** Lets the service do all that is due: texts, the bot's turns, dispatches and notifications. */
async function work({ sql, stack, twilio }: Tools): Promise<void> {
  const headers = { authorization: `Bearer ${stack.worker_key}` };
  await notifyAgents(sql);
  await until(async () => {
    const call = () =>
      fetch(`${stack.functions_url}/worker/run`, { method: "POST", headers }).then((r) => r.body?.cancel());
    await passTime(sql);
    // No worker is running, so nobody waits for the lease of a text that one has left.
    await sql`update public.text_outbox set due_at = now() where state in ('sending', 'unconfirmed') and due_at > now()`;
    await Promise.all([call(), call()]);
    await twilio.settled();
    const [due] = await sql`
      select public.are_texts_due() as texts, private.is_dispatch_due() as dispatches, private.is_fetch_due() as fetches,
        exists (select from public.bot_turns) as turns,
        exists (select from public.text_outbox where state in ('pending', 'sending') and due_at < 'infinity') as sending`;
    return Object.values(due!).includes(true) ? JSON.stringify(due) : null;
  });
}

async function inParallel<Item>(items: Item[], run: (item: Item) => Promise<void>, atOnce = 8): Promise<void> {
  const left = items.values();
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (const item of left) await run(item);
  }));
}

/** Asks until nothing is left to do, for five minutes at most. */
async function until(whatIsLeft: () => Promise<string | null>): Promise<void> {
  const deadline = Date.now() + 5 * MINUTE;
  for (let left; (left = await whatIsLeft()) !== null;) {
    if (Date.now() > deadline) throw new Error(`the world was not made within five minutes: ${left}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
