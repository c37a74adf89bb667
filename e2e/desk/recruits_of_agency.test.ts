/** The recruits of an agency, as a manager sees them. */
import assert from "node:assert/strict";
import { createAgentWithLead, signInNewAgent } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { createRecruits, rows } from "./recruit_rows.ts";
import { assertAccessibleInDarkToo, assertFits, deskTest, signIn, until } from "./harness.ts";

/** What the bot asks. */
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

async function createManager(agency_id: string) {
  return { ...await signInNewAgent(agency_id, "manager"), agency_id };
}

/** The bot has asked Ada all, asks Ben, and has asked nobody else. */
async function screen(agency_id: string, ada: string, ben: string): Promise<void> {
  const [script] = await sql`
    insert into public.bot_scripts (agency_id, version, script) values (${agency_id}, 1, ${
    sql.json(SCRIPT)
  }) returning id`;
  for (const [id, question, state, reason] of [[ada, "hours", "done", "done"], [ben, "states", "active", null]]) {
    await sql`
      with talk as (
        insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
        values (${id!}, ${agency_id}, ${newPhone()}, ${newPhone()}) returning id
      )
      insert into public.bot_sessions (conversation_id, script_id, question, state, reason)
      select id, ${script!.id}, ${question!}, ${state!}, ${reason!} from talk`;
  }
  // The order is that of the script.
  await sql`
    insert into public.screening_answers (lead_id, question, value, said)
    values (${ada}, 'states', '["IL", "IN"]', 'IL and IN'), (${ada}, 'licensed', '"yes"', 'yep'),
      (${ada}, 'hours', '"full_time"', 'full'), (${ben}, 'licensed', '"no"', 'nope')`;
}

deskTest(
  "a manager filters recruits by answers, gives them away and takes it back, and moves them on a board",
  async (page) => {
    const manager = await createManager((await createAgentWithLead()).agency_id);
    const boris = await signInNewAgent(manager.agency_id);
    await sql`update public.agents set first_name = 'Boris' where id = ${boris.agent_id}`;
    const metadata = { last_name: "Featherstonehaugh-Cholmondeley", phone: newPhone(), state: "IL" };
    const [ada, , ben] = await createRecruits(manager, [
      { first_name: "Ada" },
      { first_name: "Zoe" },
      { first_name: "Ben" },
      { first_name: "Gina", metadata },
      { first_name: "Gina", metadata },
    ]);
    await screen(manager.agency_id, ada!, ben!);
    await signIn(page, manager, "recruits");
    const of = (name: string) => rows(page).filter({ hasText: name });
    await of("Ada").getByTitle("Licensed: Yes · IL, IN · Full time", { exact: true }).waitFor();
    await of("Ben").getByTitle("Asking 2 of 3 · Licensed: No", { exact: true }).waitFor();
    await of("Zoe").getByText("not asked").waitFor();
    await page.getByLabel("Screening").selectOption("Licensed: No");
    await until(async () => await rows(page).count() === 1 && await of("Ben").count() === 1);
    assert.match(page.url(), /screening=licensed(%3A|:)no/);
    await page.getByLabel("Screening").selectOption("Any screening");
    await rows(page).filter({ hasText: "2 applications" }).nth(1).waitFor();
    await page.getByRole("button", { name: "Name" }).click();
    await until(async () =>
      /^Ada,Ben,Gina.*,Zoe$/s.test((await page.getByRole("main").getByRole("rowheader").allInnerTexts()).join())
    );

    await page.getByRole("checkbox", { name: "Select Zoe" }).check();
    await page.getByRole("checkbox", { name: "Select Ada" }).check();
    await assertAccessibleInDarkToo(page);
    await page.getByLabel("Set their stage").selectOption("Interview");
    await page.getByText("2 recruits set to Interview.").waitFor();
    assert.equal(await page.getByLabel("Stage of Zoe").inputValue(), "interview");
    assert.equal(await page.getByLabel("Stage of Ben").inputValue(), "new");

    await page.getByRole("checkbox", { name: "Select all that are shown" }).check();
    await page.getByLabel("Give them to").selectOption({ label: "Boris Quist" });
    await page.getByText("5 recruits given to Boris Quist.").waitFor();
    await until(async () => await rows(page).filter({ hasText: "Boris Quist" }).count() === 5);
    await page.getByRole("button", { name: "Undo" }).click();
    await until(async () => await rows(page).filter({ hasText: "Nora Quist" }).count() === 5);
    // The widest and the narrowest table, on a desktop and on a tablet.
    for (const width of [1345, 721]) {
      await page.setViewportSize({ width, height: 800 });
      await assertFits(page);
      const [filters, table] = await Promise.all(
        [page.getByRole("search"), page.getByRole("table")].map((part) => part.boundingBox()),
      );
      assert(
        table!.x + table!.width <= filters!.x + filters!.width + 1,
        `at ${width} px the rows end beyond the filters`,
      );
    }
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.getByRole("link", { name: "Zoe" }).click();
    const agent = page.getByRole("combobox", { name: "Agent", exact: true });
    assert.equal(await agent.locator("option:checked").innerText(), "Nora Quist");
    await agent.selectOption({ label: "Boris Quist" });
    await page.getByText(/^Zoe.* given to Boris Quist\.$/).waitFor();

    await sql`update public.recruiting_leads set agent_id = null where id = ${ada!}`;
    await page.evaluate(`location.hash = "#/recruits?view=board"`);
    await page.getByRole("listitem").filter({ hasText: "Ada" }).getByText("No agent").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Ada" }).getByTitle("Licensed: Yes · IL, IN · Full time")
      .waitFor();
    const stack = (stage: string) => page.getByRole("region", { name: stage, exact: true });
    await stack("Interview").getByRole("heading", { name: "Interview 2" }).waitFor();
    await assertAccessibleInDarkToo(page);
    await stack("New").getByRole("listitem").filter({ hasText: "Ben" }).dragTo(stack("Hired"));
    await stack("Hired").getByRole("link", { name: "Ben" }).waitFor();
    await page.getByText("Ben is in Hired now.").waitFor();
    await page.getByRole("button", { name: "Move Zoe" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("[role=menuitem]:focus").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await stack("Contacted").getByRole("link", { name: "Zoe" }).waitFor();
    await stack("Interview").getByRole("heading", { name: "Interview 1" }).waitFor();

    await page.getByRole("listitem").filter({ hasText: "2 applications" }).getByRole("link").first().click();
    await page.getByRole("heading", { name: "Other applications" }).waitFor();
    const other = await page.getByRole("main").getByRole("link", { name: "A vendor" }).getAttribute("href");
    assert.match(other!, /^#\/recruits\/[0-9a-f-]{36}$/);
    assert(!page.url().endsWith(other!));
  },
);

deskTest(
  "a long list is read page by page, each recruit once, and a manager downloads all of it as CSV",
  async (page) => {
    const manager = await createManager((await createAgentWithLead()).agency_id);
    // More than one page of the service, and what a spreadsheet would take for formulas.
    await createRecruits(manager, [
      { first_name: '=HYPERLINK("https://example.com")', metadata: { last_name: "+1", email: "@x" } },
      { first_name: "Zoë", metadata: { phone: "+13125550142" } },
    ]);
    // Leads of one import have the same time.
    await sql`
      insert into public.recruiting_leads (vendor_id, first_name, distribution, agency_id, agent_id, created_at)
      select (select id from public.vendors limit 1), 'Recruit ' || n, 'not_requested', ${manager.agency_id},
        ${manager.agent_id}, now() - interval '1 hour'
      from generate_series(1, 510) n`;
    await signIn(page, manager, "recruits");
    await page.getByText("512 recruits", { exact: true }).waitFor();
    await rows(page).nth(49).waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await rows(page).nth(99).waitFor();
    const shown = await page.getByRole("main").getByRole("rowheader").allInnerTexts();
    assert.equal(new Set(shown).size, 100);
    await rows(page).nth(98).getByRole("link").click();
    await page.getByRole("link", { name: "All recruits" }).click();
    await rows(page).nth(99).waitFor();
    await until(() => page.evaluate("scrollY > 1000"));

    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download as CSV" }).click();
    const download = await downloading;
    assert.equal(download.suggestedFilename(), "recruits.csv");
    const lines = Deno.readTextFileSync(await download.path()).split("\r\n");
    assert.equal(lines[0], "\ufefffirst_name,last_name,phone,email,state,vendor,stage,agent,created_at");
    assert.equal(lines.length, 1 + 512 + 1);
    assert(lines.some((line) => line.startsWith("Zoë,,+13125550142,") && line.includes(",new,Nora Quist,")));
    assert(
      lines.some((line) => line.startsWith(`"'=HYPERLINK(""https://example.com"")",+1,`) && line.includes(",'@x,")),
    );
    const [noted] = await sql`select recruits from public.recruit_exports where agency_id = ${manager.agency_id}`;
    assert.equal(noted!.recruits, 512);
  },
);
