/** Random conversations with the bot, with other things happening between a turn's claim and its end. */
import assert from "node:assert/strict";
import { connect, readStackInfo } from "../../../dev/local/mod.ts";
import { type Script, step } from "../../functions/worker/bot/step.ts";
import type { ClaimedTurn, Turn } from "../../functions/worker/bot/bot_turns.ts";

const CONVERSATIONS = 20;
const EVENTS = 25;
const SCRIPT: Script = {
  opening: "{agency}: STOP ends this.",
  questions: [
    { id: "licensed", ask: "Licensed?", answer: "yes_no", then: { no: { skip_to: "hours" } } },
    { id: "states", ask: "Where?", answer: "states" },
    {
      id: "hours",
      ask: "Full or part?",
      answer: { choice: { full: [], part: [] } },
      then: { part: { end: "part_time" } },
    },
  ],
  done: "Thank you.",
  about: "We look for agents.",
  not_interested: "We wish you well.",
  handoff: "A person will write.",
  handoff_words: ["agent"],
  remind_after: "20h",
};
const TEXTS = "yes,no,TX,full,part,hmm,hello,yes,TX,full,agent,where?,who is this,HELP,not interested,STOP,START".split(
  ",",
);

/** Numbers from 0 to 1 that are the same in each run. */
function randomFrom(seed: number): () => number {
  return () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
}

Deno.test("random conversations end, and the bot never says too much", async () => {
  const sql = connect(readStackInfo().db_url);
  const random = randomFrom(20_261_122);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  try {
    await sql.begin(async (sql) => {
      // No hour is quiet.
      await sql`update public.texting_hours set opens = '00:00', closes = '24:00'`;
      const [{ agency, agent }] = await sql<[{ agency: string; agent: string }]>`
        with agency as (insert into public.agencies (name, timezone) values ('Model', 'UTC') returning id)
        insert into public.agents (agency_id, first_name) select id, 'Ann' from agency
        returning agency_id as agency, id as agent`;
      await sql`insert into public.service_numbers (phone, agency_id) values ('+19995557000', ${agency})`;
      await sql`select private.store_bot_script(${agency}, ${sql.json(SCRIPT as never)})`;
      const [{ id: vendor }] = await sql<[{ id: string }]>`
        insert into public.vendors (slug, name) values ('bot-model', 'Model') returning id`;
      const conversations = await sql<{ id: string; recruit_phone: string }[]>`
        with lead as (
          insert into public.recruiting_leads (vendor_id, first_name, distribution, agency_id, agent_id, distributed_at)
          select ${vendor}, 'Ada', 'distributed', ${agency}, ${agent}, now() from generate_series(1, ${CONVERSATIONS}) returning id
        )
        insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
        select id, ${agency}, '+1999556' || lpad((row_number() over ())::text, 4, '0'), '+19995557000' from lead
        returning id, recruit_phone`;

      /** The texts of each conversation, in their order. */
      const said = new Map(conversations.map(({ id }) => [id, [] as string[]]));
      let sid = 0;
      async function write(id: string, phone: string) {
        const body = pick(TEXTS);
        const isOptedOut = said.get(id)!.findLast((who) => who === "stop" || who === "start") === "stop";
        // A recruit who has opted out may opt in by YES as well.
        const isOptIn = body === "START" || (isOptedOut && body === "yes");
        said.get(id)!.push(body === "STOP" ? "stop" : isOptIn ? "start" : "recruit");
        await sql`select public.receive_sms(${phone}, '+19995557000', ${`model-${++sid}`}, ${body}, '[]')`;
      }
      async function takeOver(id: string) {
        await sql`
          with stopped as (select private.stop_bot(${id}, 'taken_over'))
          update public.recruiting_conversations c set status = 'escalated', assigned_agent_id = ${agent}
          from stopped where c.id = ${id}`;
        said.get(id)!.push("person");
      }
      /** A worker's turn; sometimes the recruit or an agent writes before its end, or it dies. */
      async function work(isCalm = false) {
        const [{ claimed }] = await sql<[{ claimed: ClaimedTurn[] }]>`
          select public.claim_bot_turns(100) as claimed`;
        for (const { conversation_id: id, attempt } of claimed) {
          const [{ turn }] = await sql<[{ turn: Turn }]>`select public.read_bot_turn(${id}, ${attempt}) as turn`;
          const chance = isCalm ? 1 : random();
          if (chance < 0.1) {
            await write(id, conversations.find((one) => one.id === id)!.recruit_phone);
          } else if (chance < 0.13) await takeOver(id);
          else if (chance < 0.2) continue;
          const taken = turn.script &&
            step(turn.script, turn.session, turn.texts, new Date(turn.now));
          const [{ result }] = await sql<[{ result: string }]>`
            select public.complete_bot_turn(${id}, ${attempt}, ${turn.version}, ${turn.script_id},
              ${turn.texts.length}, ${sql.json(taken as never)}) as result`;
          if (result === "done" && taken?.reply) {
            said.get(id)!.push(turn.texts.length === 0 ? "reminder" : "bot");
            await sql`
              update public.text_outbox set state = 'accepted' where conversation_id = ${id} and state = 'pending'`;
          }
        }
      }
      const passTime = (what: "turns" | "leases" | "reminders" | "ends") =>
        what === "turns"
          ? sql`update public.bot_turns set due_at = now()`
          : what === "leases"
          ? sql`update public.bot_turns set lease_until = now()`
          : what === "reminders"
          ? sql`update public.bot_sessions set remind_at = now() where remind_at is not null and state = 'active'`
          : sql`update public.bot_sessions set expires_at = now() where state = 'active'`;

      for (let i = 0; i < CONVERSATIONS * EVENTS / 4; i++) {
        const { id, recruit_phone } = pick(conversations);
        for (let text = 0; text < 1 + Math.floor(random() * 2); text++) {
          await write(id, recruit_phone);
        }
        if (random() < 0.5) {
          await passTime(random() < 0.9 ? "turns" : pick(["leases", "reminders"]));
          await work();
        }
      }
      for (const what of ["leases", "turns", "ends", "turns"] as const) {
        await passTime(what);
        await work(true);
      }

      const open = await sql`
        select from public.bot_turns union all select from public.bot_sessions where state = 'active'`;
      assert.equal(open.length, 0, "each conversation ends");
      const texts = await sql<{ conversation_id: string; texts: number }[]>`
        select conversation_id, count(*)::int as texts from public.text_outbox where kind = 'bot' group by 1`;
      for (const { conversation_id, texts: count } of texts) {
        assert(count <= 2 * SCRIPT.questions.length + 3);
        const story = said.get(conversation_id)!;
        assert.equal(story.filter((who) => who === "bot" || who === "reminder").length, count);
        assert(story.filter((who) => who === "reminder").length <= 1, "one reminder");
        const told = story.join(" ");
        assert.doesNotMatch(told, /bot bot/, "two texts in a row");
        assert.doesNotMatch(told, /person.*(bot|reminder)/, "after a person");
        for (const after of told.split("stop").slice(1)) {
          assert.doesNotMatch(after.split("start")[0]!, /bot|reminder/, "after an opt-out");
        }
      }
      throw new RollBack();
    });
  } catch (error) {
    if (!(error instanceof RollBack)) throw error;
  } finally {
    await sql.end();
  }
});

class RollBack extends Error {}
