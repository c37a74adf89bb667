/** What the list of recruits says of the bot's questions. */
import assert from "node:assert/strict";
import { createAgentWithLead, signInNewAgent } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { createRecruits, rows } from "./recruit_rows.ts";
import { deskTest, signIn, until } from "./harness.ts";

const SCRIPT = {
  opening: "Hi, this is {agency}. STOP ends this.",
  questions: [
    { id: "licensed", ask: "Are you licensed?", answer: "yes_no" },
    { id: "states", ask: "In which states?", answer: "states" },
    { id: "hours", ask: "Full or part time?", answer: { choice: { full_time: ["full"], part_time: ["part"] } } },
  ],
  done: "Thank you.",
  handoff_words: ["agent"],
};

/** Makes an agent with three recruits: Ada has answered, the bot asks Ben, and nobody has asked Cleo. */
async function createScreened() {
  const agent = await createAgentWithLead();
  const { agency_id } = agent;
  const ids = await createRecruits(agent, ["Ada", "Ben", "Cleo"].map((first_name) => ({ first_name })));
  const [script] = await sql`
    insert into public.bot_scripts (agency_id, version, script) values (${agency_id}, 1, ${
    sql.json(SCRIPT)
  }) returning id`;
  const sessions = [["hours", "done", "done"], ["states", "active", null]] as const;
  for (const [place, [question, state, reason]] of sessions.entries()) {
    await sql`
      with talk as (
        insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
        values (${ids[place]!}, ${agency_id}, ${newPhone()}, ${newPhone()}) returning id
      )
      insert into public.bot_sessions (conversation_id, script_id, question, state, reason)
      select id, ${script!.id}, ${question}, ${state}, ${reason} from talk`;
  }
  // The order is that of the script.
  await sql`
    insert into public.screening_answers (lead_id, question, value, said)
    values (${ids[0]!}, 'states', '["IL", "IN"]', 'IL and IN'), (${ids[0]!}, 'licensed', '"yes"', 'yep'),
      (${ids[0]!}, 'hours', '"full_time"', 'full'), (${ids[1]!}, 'licensed', '"no"', 'nope')`;
  return agent;
}

deskTest("a manager filters recruits by their answers, and an agent by the state of these alone", async (page) => {
  const agent = await createScreened();
  await signIn(page, await signInNewAgent(agent.agency_id, "manager"), "recruits");
  const of = (name: string) => rows(page).filter({ hasText: name });
  await of("Ada").getByTitle("Licensed: Yes · IL, IN · Full time", { exact: true }).waitFor();
  await of("Ben").getByTitle("Asking 2 of 3 · Licensed: No", { exact: true }).waitFor();
  await of("Cleo").getByText("not asked").waitFor();
  for (const [option, name] of [["Licensed: No", "Ben"], ["Hours: Full time", "Ada"]] as const) {
    await page.getByLabel("Screening").selectOption(option);
    await until(async () => await rows(page).count() === 1 && await of(name).count() === 1);
  }
  assert.match(page.url(), /screening=hours%3Afull_time|screening=hours:full_time/);
  await page.getByLabel("Screening").selectOption("Hours: Part time");
  await page.getByText("No recruit matches the filters.").waitFor();

  await page.getByLabel("Screening").selectOption("Any screening");
  await page.getByRole("button", { name: "Board" }).click();
  const card = page.getByRole("listitem").filter({ hasText: "Ada" });
  await card.getByTitle("Licensed: Yes · IL, IN · Full time").waitFor();

  await signIn(page, agent, "recruits");
  await of("Ada").waitFor();
  await page.getByLabel("Screening").selectOption("Being asked");
  await until(async () => await rows(page).count() === 1);
  assert.equal(await page.getByLabel("Screening").getByText("Licensed").count(), 0);
});
