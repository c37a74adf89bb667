/** A recruit's stage and timeline. The words of each event are in desk/ui/recruit_timeline.test.tsx. */
import assert from "node:assert/strict";
import { createAgentWithLead } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { assertAccessible, deskTest, signIn, until } from "./harness.ts";
import { createRecruits, rows } from "./recruit_rows.ts";
import { createTalk, createTexter } from "./talks.ts";

deskTest(
  "a stage is changed in the list, and the timeline has it with texts, notes and calls, also in the inbox",
  async (page) => {
    const agent = await createAgentWithLead();
    const [id] = await createRecruits(agent, [
      { first_name: "Ada", metadata: { phone: "+13125550142" } },
      { first_name: "Ben" },
      { first_name: "Cleo" },
    ]);
    await sql`
    insert into public.recruit_notes (recruiting_lead_id, agent_id, body)
    values (${id!}, ${agent.agent_id}, '<b>Calls</b> at noon')`;
    const talks: string[] = [];
    for (const words of ["Hi", "Another number"]) {
      const [talk] = await sql`
      insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
      values (${id!}, ${agent.agency_id}, ${newPhone()}, ${newPhone()}) returning id`;
      await sql`
      insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
      values (${talk!.id}, 'inbound', 'recruit', ${words})`;
      talks.push(talk!.id);
    }
    const stages = async () =>
      (await sql`select stage from public.recruit_stages where recruiting_lead_id = ${id!} order by created_at`)
        .map(({ stage }) => stage).join();
    await signIn(page, agent, "recruits");
    await page.getByLabel("Stage of Ada").selectOption("Hired");
    await until(async () => await stages() === "hired");
    await page.getByLabel("Stage", { exact: true }).selectOption("New");
    await page.waitForURL(/#\/recruits\?stage=new$/);
    await until(async () => await rows(page).count() === 2);
    await page.getByLabel("Stage of Ben").selectOption("Lost");
    // It leaves the list at once.
    await until(async () => await rows(page).count() === 1);
    // The list that was left is opened again, with its stage.
    await page.getByRole("link", { name: "Cleo" }).click();
    await page.getByRole("link", { name: "All recruits" }).click();
    await page.waitForURL(/#\/recruits\?stage=new$/);

    await page.evaluate(`location.hash = "#/recruits/${id}"`);
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
    await timeline.getByRole("listitem").filter({ hasText: "Hi" }).getByRole("link").click();
    await page.waitForURL(new RegExp(`#/inbox/${talks[0]}`));
    // The texts stand beside it, those of other conversations do not.
    const card = page.getByLabel("The recruit");
    await card.locator(".timeline").getByText("Received from the vendor").waitFor();
    assert.equal(await card.locator(".timeline").getByRole("link").count(), 1);
    await card.locator(".timeline").getByText("Another number").waitFor();
    await card.getByLabel("Stage of Ada").selectOption("Interview");
    await until(async () => await stages() === "hired,contacted,interview");

    // What was refused is taken back, with the reason.
    const refused = { code: "PT404", message: "recruiting_lead_id: there is no such recruit" };
    await page.route("**/rpc/set_recruit_stage", (route) => route.fulfill({ status: 404, json: refused }));
    await card.getByLabel("Stage of Ada").selectOption("Lost");
    await page.getByText("There is no such recruit.").waitFor();
    assert.equal(await card.getByLabel("Stage of Ada").inputValue(), "interview");
    assert.equal(await stages(), "hired,contacted,interview");
  },
);

deskTest("an event reads the one row of the timeline that it is about, however many are loaded", async (page) => {
  const agent = await createTexter();
  const { lead_id } = await createTalk(agent, "Ada");
  await sql`
    insert into public.recruit_notes (recruiting_lead_id, agent_id, body, created_at)
    select ${lead_id}, ${agent.agent_id}, 'Note ' || n, now() - n * interval '1 hour' from generate_series(1, 110) n`;
  await signIn(page, agent, `recruits/${lead_id}`);
  const rows = page.locator(".timeline").getByRole("listitem");
  await until(async () => await rows.count() === 50);
  await page.locator(".timeline").getByRole("button", { name: "Show more" }).click();
  await until(async () => await rows.count() === 100);
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
  assert.equal(await rows.count(), 102);
  await page.unrouteAll({ behavior: "wait" });
  assert.deepEqual(reads, [1, 1]);
});
