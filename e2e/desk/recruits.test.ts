/** An agent's recruits. What the timeline says of each event is in desk/ui/recruit_timeline.test.tsx. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createAgentWithLead } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { createRecruits, rows } from "./recruit_rows.ts";
import { assertAccessibleInDarkToo, assertFits, deskTest, PHONE, signIn, until } from "./harness.ts";

deskTest(
  "an agent finds recruits, who are unread until they are opened, and sets a stage, which the timeline has with all else",
  async (page) => {
    const agent = await createAgentWithLead();
    const [ada, ben] = await createRecruits(agent, [
      { first_name: "Ada", metadata: { last_name: "Lovelace", phone: "+13125550142", state: "IL" } },
      { first_name: "Ben", metadata: { last_name: 'O"Hara, (Jr)%', phone: "+13125550143", state: "IN" } },
      { first_name: "Cleo" },
    ]);
    await sql`
      insert into public.recruiting_conversations
        (recruiting_lead_id, agency_id, recruit_phone, service_phone, waiting_since)
      values (${ben!}, ${agent.agency_id}, '+13125550143', ${newPhone()}, now())`;
    await sql`insert into public.agent_notifications (agent_id, lead_id, kind) values (${agent.agent_id}, ${ada!}, 'lead')`;
    const script = { opening: "STOP ends this.", questions: [{ id: "licensed", ask: "Licensed?", answer: "yes_no" }] };
    await sql`
      insert into public.bot_scripts (agency_id, version, script) values (${agent.agency_id}, 1, ${sql.json(script)})`;
    await signIn(page, agent, "recruits");
    await rows(page).nth(2).waitFor();
    assert.equal(
      await page.getByLabel("Screening").getByText("Licensed").count(),
      0,
      "only managers filter by answers",
    );
    assert.match(
      (await rows(page).allInnerTexts()).join("\n"),
      /^\s+Ada Lovelace\s+not opened\s+\(312\) 555-0142\s+IL\s[^]*Call first[^]*\n\s+Ben [^]*\n\s+Cleo\s+no phone\s/,
    );
    assert.equal(await rows(page).getByRole("link", { name: "555-0142" }).getAttribute("href"), "tel:+13125550142");
    assert.equal(await page.getByRole("button", { name: "Download as CSV" }).count(), 0);

    // What was typed is the value of a filter in the address of a request.
    for (const [typed, found] of [["(312) 555-0142", /Ada/], ['o"hara, (', /Ben/]] as const) {
      await page.getByRole("searchbox").fill(typed);
      await rows(page).filter({ hasText: found }).waitFor();
      await until(async () => await rows(page).count() === 1);
    }
    await page.getByRole("searchbox").fill("");
    await page.getByLabel("State", { exact: true }).selectOption("Indiana");
    await page.getByLabel("Waiting", { exact: true }).selectOption("Waiting for an answer");
    await rows(page).filter({ hasText: "Ben" }).waitFor();
    await until(async () => await rows(page).count() === 1);
    await page.getByLabel("State", { exact: true }).selectOption("");
    await page.getByLabel("Waiting", { exact: true }).selectOption("Not opened");

    await page.getByRole("link", { name: /^Ada Lovelace/ }).click();
    await page.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
    await until(async () =>
      (await sql`select from public.agent_notifications where agent_id = ${agent.agent_id} and read_at is null`)
        .length === 0
    );
    await page.getByRole("link", { name: "All recruits" }).click();
    await page.getByText("No recruit matches the filters.").waitFor();
    await page.evaluate(`location.hash = "#/recruits/1"`);
    await page.getByText("There is no such recruit.").waitFor();
    await changeStages(page, agent, ada!);
  },
);

/** Changes a stage in the list, which the timeline has with texts, notes and calls, also in the inbox. */
async function changeStages(
  page: Page,
  agent: Awaited<ReturnType<typeof createAgentWithLead>>,
  id: string,
): Promise<void> {
  await sql`
  insert into public.recruit_notes (recruiting_lead_id, agent_id, body)
  values (${id}, ${agent.agent_id}, '<b>Calls</b> at noon')`;
  const talks: string[] = [];
  for (const words of ["Hi", "Another number"]) {
    const [talk] = await sql`
    insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
    values (${id}, ${agent.agency_id}, ${newPhone()}, ${newPhone()}) returning id`;
    await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
    values (${talk!.id}, 'inbound', 'recruit', ${words})`;
    talks.push(talk!.id);
  }
  const stages = async () =>
    (await sql`select stage from public.recruit_stages where recruiting_lead_id = ${id} order by created_at`)
      .map(({ stage }) => stage).join();
  await page.evaluate(`location.hash = "#/recruits"`);
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
    const calls = await sql`select outcome from public.recruit_calls where recruiting_lead_id = ${id}`;
    return calls.length === 1 && calls[0]!.outcome === "no_answer";
  });
  await assertAccessibleInDarkToo(page);
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
}

deskTest(
  "on a phone one line stands above the recruits, and one is found, opened and left by keyboard",
  async (page) => {
    const agent = await createAgentWithLead();
    const phone = "+13125550142";
    const metadata = { phone, vendor_fields: { token: "x".repeat(300) } };
    const [id] = await createRecruits(agent, [{ first_name: "Wilhelmina", metadata }, { first_name: "Zoe" }]);
    await sql`
      insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
      values (${id!}, ${agent.agency_id}, ${phone}, ${newPhone()})`;
    await sql`
      insert into public.recruit_notes (recruiting_lead_id, agent_id, body)
      values (${id!}, ${agent.agent_id}, ${"long".repeat(80)})`;
    await signIn(page, agent, "recruits");
    await rows(page).first().waitFor();
    const [first, second] = await Promise.all([0, 1].map((place) => rows(page).nth(place).boundingBox()));
    assert(first!.y < 210, `${first!.y} px`);
    assert(second!.y - first!.y <= 72, `a row has ${second!.y - first!.y} px`);
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("Sort by").selectOption("Name");
    await page.waitForURL(/sort=name/);
    await assertFits(page);
    await page.getByLabel("Stage", { exact: true }).selectOption("new");
    await page.getByRole("button", { name: "Filters (1)" }).click();

    await page.getByRole("searchbox").focus();
    await page.keyboard.type("wil");
    await page.waitForURL(/q=wil/);
    await rows(page).nth(1).waitFor({ state: "detached" });
    for (let keys = 0; keys < 12 && await page.locator(".row-link:focus").count() === 0; keys++) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Wilhelmina" }).waitFor();
    const { y } = (await page.getByRole("region", { name: "Write" }).boundingBox())!;
    assert(y < 220, `${y} px are above what is written`);
    await page.getByRole("link", { name: "(312) 555-0142" }).waitFor();
    const received = page.locator(`dt:text-is("Received")`);
    assert(!await received.isVisible());
    await page.getByText("Details and answers").tap();
    await received.waitFor();
    await assertFits(page);
    await page.getByRole("link", { name: "All recruits" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Recruits", exact: true }).waitFor({ state: "attached" });
    assert.equal(await page.getByRole("searchbox").inputValue(), "wil");
  },
  PHONE,
);
