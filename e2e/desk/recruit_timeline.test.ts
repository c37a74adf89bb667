/** A recruit's stage and timeline. */
import assert from "node:assert/strict";
import type { SupabaseClient } from "@supabase/supabase-js";
import { createAgentWithLead, signInNewAgent } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { assertAccessible, assertFits, DESK, deskTest, PHONE, signIn, until } from "./harness.ts";
import { createRecruits, rows } from "./recruit_rows.ts";
import { createColleague, createTalk, createTexter, openAbout, signInJoined } from "./talks.ts";

deskTest("a stage is changed in the list and on the page, and the address narrows the list to one", async (page) => {
  const agent = await createAgentWithLead();
  const [ada] = await createRecruits(agent, [{ first_name: "Ada" }, { first_name: "Ben" }, { first_name: "Cleo" }]);
  await signIn(page, agent, "recruits");
  await page.getByLabel("Stage of Ada").selectOption("Hired");
  await until(async () => (await stages(ada!)).length === 1);
  await page.goto(`${DESK}#/recruits?stage=hired`);
  await until(async () => await rows(page).count() === 1);
  await rows(page).filter({ hasText: "Ada" }).waitFor();
  // The filter that is on has a colour of its own.
  const hasColour = `(([stage, ...others]) => others.every((one) =>
    getComputedStyle(one).color !== getComputedStyle(stage).color))(document.querySelectorAll(".filters > select"))`;
  assert.ok(await page.evaluate(hasColour));
  await assertAccessible(page);
  await page.getByLabel("Stage", { exact: true }).selectOption("New");
  await page.waitForURL(/#\/recruits\?stage=new$/);
  await until(async () => await rows(page).count() === 2);
  await page.getByLabel("Stage of Ben").selectOption("Lost");
  // It leaves the list at once.
  await until(async () => await rows(page).count() === 1);

  // The list that was left is opened again, with its stage.
  for (const back of [() => page.getByRole("link", { name: "All recruits" }).click(), () => page.goBack()]) {
    await page.getByRole("link", { name: "Cleo" }).click();
    await page.getByRole("heading", { name: "Cleo" }).waitFor();
    await back();
    await page.waitForURL(/#\/recruits\?stage=new$/);
    assert.equal(await page.getByLabel("Stage", { exact: true }).inputValue(), "new");
  }

  // What the service refuses is taken back, with the reason.
  await page.route(
    "**/rpc/set_recruit_stage",
    (route) =>
      route.fulfill({ status: 404, json: { code: "PT404", message: "recruiting_lead_id: there is no such recruit" } }),
  );
  await page.goto(`${DESK}#/recruits/${ada}`);
  await page.getByLabel("Stage of Ada").selectOption("Lost");
  await page.getByText("There is no such recruit.").waitFor();
  assert.equal(await page.getByLabel("Stage of Ada").inputValue(), "hired");
  assert.deepEqual(await stages(ada!), ["hired"]);
});

async function stages(id: string): Promise<string[]> {
  const found = await sql`
    select stage from public.recruit_stages where recruiting_lead_id = ${id} order by created_at`;
  return found.map(({ stage }) => stage);
}

deskTest("a recruit's timeline has the texts, notes, stages and calls, and how a call went", async (page) => {
  const agent = await createAgentWithLead();
  const [id] = await createRecruits(agent, [{ first_name: "Ada", metadata: { phone: "+13125550142" } }]);
  await sql`
    insert into public.recruit_notes (recruiting_lead_id, agent_id, body)
    values (${id!}, ${agent.agent_id}, '<b>Calls</b> at noon')`;
  const [talk] = await sql`
    insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
    values (${id!}, ${agent.agency_id}, ${newPhone()}, ${newPhone()}) returning id`;
  await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
    values (${talk!.id}, 'inbound', 'recruit', 'Hi'), (${talk!.id}, 'outbound', 'bot', 'Hello')`;
  const [older] = await sql`
    insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
    values (${id!}, ${agent.agency_id}, ${newPhone()}, ${newPhone()}) returning id`;
  await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
    values (${older!.id}, 'inbound', 'recruit', 'Another number')`;
  await signIn(page, agent, `recruits/${id}`);
  const timeline = page.locator(".timeline");
  await timeline.getByText("noted: <b>Calls</b> at noon").waitFor();
  await timeline.getByText("Received from the vendor").waitFor();
  await page.getByLabel("Stage of Ada").selectOption("Contacted");
  await timeline.getByText("set the stage: Contacted").waitFor();
  // No program on this machine dials.
  await page.evaluate(`addEventListener("click", (event) => event.preventDefault())`);
  await page.getByRole("link", { name: "Call" }).click();
  await timeline.getByLabel("How the call went").selectOption("No answer");
  await until(async () => {
    const calls = await sql`select outcome from public.recruit_calls where recruiting_lead_id = ${id!}`;
    return calls.length === 1 && calls[0]!.outcome === "no_answer";
  });
  await assertAccessible(page);
  await assertFits(page);
  const time = timeline.getByRole("listitem").filter({ hasText: "Hi" }).getByRole("link");
  const line = (link: string) =>
    page.evaluate(`getComputedStyle(document.querySelector("${link}")).textDecorationLine`);
  assert.equal(await line(".timeline .is-text > a"), "none");
  await time.hover();
  assert.equal(await line(".timeline .is-text > a:hover"), "underline");
  await time.click();
  await page.waitForURL(new RegExp(`#/inbox/${talk!.id}`));
  // The texts stand beside it, those of other conversations do not.
  const beside = page.getByLabel("The recruit").locator(".timeline");
  await beside.getByText("Received from the vendor").waitFor();
  assert.equal(await beside.getByRole("link").count(), 1);
  await beside.getByText("Another number").waitFor();
});

deskTest("stages and the timeline fit a phone", async (page) => {
  const agent = await createAgentWithLead();
  const [id] = await createRecruits(agent, [{ first_name: "Wilhelmina", metadata: { phone: "+13125550142" } }]);
  const [talk] = await sql`
    insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
    values (${id!}, ${agent.agency_id}, ${newPhone()}, ${newPhone()}) returning id`;
  await sql`
    insert into public.recruit_notes (recruiting_lead_id, agent_id, body)
    values (${id!}, ${agent.agent_id}, ${"long".repeat(80)})`;
  await signIn(page, agent, "recruits");
  await page.getByLabel("Stage of Wilhelmina").selectOption("Licensed");
  await until(async () => (await stages(id!)).length === 1);
  await assertFits(page);
  await page.getByRole("link", { name: /^Wilhelmina/ }).tap();
  await page.getByText("set the stage: Licensed").waitFor();
  const { y } = (await page.getByRole("region", { name: "Write" }).boundingBox())!;
  assert(y < 220, `${y} px are above what is written`);
  await page.getByRole("link", { name: "(312) 555-0142" }).waitFor();
  const received = page.locator(`dt:text-is("Received")`);
  assert(!await received.isVisible());
  await page.getByText("Details and answers").tap();
  await received.waitFor();
  await assertFits(page);
  await assertAccessible(page);
  await page.goto(`${DESK}#/inbox/${talk!.id}`);
  await openAbout(page);
  await page.getByText("set the stage: Licensed").waitFor();
  for (const viewport of [{ width: 390, height: 844 }, { width: 360, height: 440 }]) {
    await page.setViewportSize(viewport);
    await assertFits(page);
  }
  await assertAccessible(page);
}, PHONE);

deskTest("who has the conversation with a colleague's recruit reads the recruit, and sets the stage", async (page) => {
  const agent = await createAgentWithLead();
  const colleague = await signInNewAgent(agent.agency_id);
  const [id] = await createRecruits(agent, [{ first_name: "Ada", metadata: { email: "ada@example.com" } }]);
  const [talk] = await sql`
  insert into public.recruiting_conversations (
    recruiting_lead_id, agency_id, recruit_phone, service_phone, status, assigned_agent_id)
  values (${id!}, ${agent.agency_id}, ${newPhone()}, ${newPhone()}, 'escalated', ${colleague.agent_id}) returning id`;
  await signIn(page, colleague, `inbox/${talk!.id}`);
  const card = page.getByLabel("The recruit");
  await card.getByText("ada@example.com").waitFor();
  await card.getByLabel("Stage of Ada").selectOption("Interview");
  await until(async () => (await stages(id!)).join() === "interview");
});

deskTest("the timeline tells how far each text has come, and how the bot read the recruit's", async (page) => {
  const agent = await createTexter();
  const { id, lead_id, recruit } = await createTalk(agent, "Ada");
  const texts = [
    { body: "Hi", heard: "opening" },
    { body: "Licensed?", state: "accepted", status: "delivered" },
    { body: "yes", heard: "early" },
    { body: "My dad died", heard: "bereavement" },
    { body: "One", state: "pending", due_at: "2097-01-01T12:00Z", reason: "quiet_hours" },
    { body: "Two", state: "refused", status: "failed", reason: "cancelled" },
    { body: "Three", state: "failed", status: "failed", reason: "30003" },
  ];
  for (const [n, { body, heard = null, state, status = null, due_at = null, reason = null }] of texts.entries()) {
    const [message] = await sql`
    insert into public.recruiting_messages (
      conversation_id, direction, sender_type, body, heard, status, created_at, delivered_at, failed_at)
    select ${id}, ${heard === null ? "outbound" : "inbound"}, ${heard === null ? "bot" : "recruit"}, ${body}, ${heard},
      ${status}, t.at, case when ${status}::text = 'delivered' then t.at end, case when ${status}::text = 'failed' then t.at end
    from (select now() + ${n + 10} * interval '1 second' as at) t returning id`;
    if (state === undefined) continue;
    await sql`
    insert into public.text_outbox (message_id, kind, state, due_at, reason, accepted_at)
    values (${message!.id}, 'bot', ${state}, coalesce(${due_at}::timestamptz, now()), ${reason},
      case when ${state}::text = 'accepted' then now() end)`;
  }
  // The reason is that of the bot's session, which this conversation has none of.
  const [given] = await sql`
  insert into public.conversation_assignments (
    conversation_id, recruiting_lead_id, agency_id, status, to_agent_id, created_at)
  values (${id}, ${lead_id}, ${agent.agency_id}, 'escalated', ${agent.agent_id}, now() + interval '13500 ms')
  returning id`;
  await sql`update public.conversation_assignments set reason = 'bereavement' where id = ${given!.id}`;
  await sql`
  insert into public.skipped_greetings (recruiting_lead_id, agency_id, reason)
  values (${lead_id}, ${agent.agency_id}, 'no_consent')`;
  await sql`
  insert into public.text_consents (agency_id, phone, state, source)
  values (${agent.agency_id}, ${recruit}, 'opted_out', 'keyword')`;
  await sql`
  insert into public.text_consent_events (agency_id, phone, state, source, occurred_at)
  values (${agent.agency_id}, ${recruit}, 'opted_out', 'keyword', now() + interval '1 minute')`;
  await signIn(page, agent, `recruits/${lead_id}`);
  const rows = page.locator(".timeline").getByRole("listitem");
  await rows.first().getByText("Opted out of texts").waitFor();
  const said = (await rows.allInnerTexts()).map((row) =>
    row.replace(/\s+/g, " ").replace(
      /(?:today, |[A-Z][a-z]+ \d+, )?(?:\d{4}, )?\d+:\d\d [AP]M(?: [A-Z]{3,})?/g,
      "<time>",
    )
      .trim()
  );
  assert.deepEqual(said.slice(0, 10), [
    "Opted out of texts <time>",
    "The bot wrote Three Failed <time>: the recruit's phone is off or out of reach <time>",
    "The bot wrote Two Not sent <time>: it was cancelled <time>",
    "The bot wrote One Held until <time>: it was not the hour for texts <time>",
    "The conversation went to Nora Quist: somebody has died <time>",
    "Ada wrote My dad died No answer to the bot: somebody has died <time>",
    "Ada wrote yes No answer to the bot: it came before the question had left <time>",
    "The bot wrote Licensed? <time>",
    "Ada wrote Hi The bot asked a question in reply <time>",
    "Not greeted: the vendor has no consent to texts <time>",
  ]);
  await assertAccessible(page);
});

/** Says in the name of an agent who has the conversation from now on. */
async function assign(
  { client }: { client: SupabaseClient },
  conversation_id: string,
  agent_id: string,
): Promise<void> {
  const { error } = await client.rpc("assign_conversation", { conversation_id, agent_id });
  assert.equal(error, null);
}

deskTest("the timeline tells each change of hands, and a colleague's act as it happens", async (page) => {
  const agent = await createTexter("manager");
  await sql`update public.agencies set name = 'Prairie Life' where id = ${agent.agency_id}`;
  const omar = await createColleague(agent);
  const person = { last_name: "Byron", email: "ada@example.com", state: "IL" };
  const { id, lead_id } = await createTalk(agent, "Ada", person);
  await assign(agent, id, omar.agent_id);
  await signInJoined(page, agent, `recruits/${lead_id}`);
  const timeline = page.locator(".timeline");
  await timeline.getByText("Nora Quist gave the conversation to Omar Quist").waitFor();
  await assign(agent, id, agent.agent_id);
  await timeline.getByText("Nora Quist took the conversation over, from Omar Quist").waitFor();
  const { error } = await omar.client.rpc("set_recruit_stage", { recruiting_lead_id: lead_id, stage: "lost" });
  assert.notEqual(error, null);
  await agent.client.rpc("set_recruit_stage", { recruiting_lead_id: lead_id, stage: "interview" });
  await timeline.getByText("Nora Quist set the stage: Interview").waitFor();
  await sql`update public.recruiting_conversations set assigned_agent_id = ${omar.agent_id} where id = ${id}`;
  await timeline.getByText("The conversation went to Omar Quist, from Nora Quist").waitFor();
  await sql`update public.recruiting_conversations set status = 'bot' where id = ${id}`;
  await timeline.getByText("The conversation went to the bot").waitFor();
  await sql`
    insert into public.lead_assignments (recruiting_lead_id, from_agent_id, to_agent_id)
    values (${lead_id}, ${agent.agent_id}, ${omar.agent_id})`;
  await page.reload();
  await timeline.getByText("Ada went to Omar Quist, from Nora Quist").waitFor();
  await assertAccessible(page);
});

deskTest("an event reads the one row of the timeline that it is about, however many are loaded", async (page) => {
  const agent = await createTexter();
  const { lead_id } = await createTalk(agent, "Ada");
  await sql`
    insert into public.recruit_notes (recruiting_lead_id, agent_id, body, created_at)
    select ${lead_id}, ${agent.agent_id}, 'Note ' || n, now() - n * interval '1 hour' from generate_series(1, 810) n`;
  await signIn(page, agent, `recruits/${lead_id}`);
  const rows = page.locator(".timeline").getByRole("listitem");
  for (const shown of [50, 100, 200, 400, 800]) {
    await until(async () => await rows.count() === shown);
    if (shown < 800) await page.locator(".timeline").getByRole("button", { name: "Show more" }).click();
  }
  // The facts stay beside the rows.
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  await rows.last().waitFor();
  assert((await page.locator(`dt:text-is("Received")`).boundingBox())!.y > 0);
  const isOfTimeline = ({ href }: URL) => href.includes("/recruit_timeline?");
  const reads: number[] = [];
  await page.route(isOfTimeline, async (route) => {
    const response = await route.fetch();
    // One that fails is repeated.
    if (response.ok()) reads.push((await response.json()).length);
    await route.fulfill({ response });
  });
  await sql`insert into public.recruit_stages (recruiting_lead_id, agency_id, agent_id, stage)
    values (${lead_id}, ${agent.agency_id}, ${agent.agent_id}, 'hired')`;
  await rows.first().getByText("set the stage: Hired").waitFor();
  await sql`insert into public.recruit_notes (recruiting_lead_id, agent_id, body, created_at)
    values (${lead_id}, ${agent.agent_id}, 'In between', now() - interval '90 minutes')`;
  await rows.getByText("In between").waitFor();
  const words = await rows.locator(".words").allInnerTexts();
  assert.deepEqual(words.slice(0, 3), ["Note 1", "In between", "Note 2"]);
  assert.equal(await rows.count(), 802);
  await page.unrouteAll({ behavior: "wait" });
  assert.deepEqual(reads, [1, 1]);
});
