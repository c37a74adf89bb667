import assert from "node:assert/strict";
import { createAgentWithLead, signInNewAgent } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { createRecruits, rows } from "./recruit_rows.ts";
import { assertAccessible, assertFits, deskTest, PHONE, signIn, until } from "./harness.ts";

async function createManager(agency_id: string) {
  return { ...await signInNewAgent(agency_id, "manager"), agency_id };
}

deskTest(
  "an agent's recruits stand newest first, are found by what is known of them, and are unread until they are opened",
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
    await signIn(page, agent, "recruits");
    await rows(page).nth(2).waitFor();
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
    for (const address of [crypto.randomUUID(), "1"]) {
      await page.evaluate(`location.hash = "#/recruits/${address}"`);
      await page.getByText("There is no such recruit.").waitFor();
    }
  },
);

deskTest(
  "a manager sorts recruits, gives them away and takes it back, moves them on a board, and sees who applied twice",
  async (page) => {
    const manager = await createManager((await createAgentWithLead()).agency_id);
    const boris = await signInNewAgent(manager.agency_id);
    await sql`update public.agents set first_name = 'Boris' where id = ${boris.agent_id}`;
    const metadata = { last_name: "Featherstonehaugh-Cholmondeley", phone: newPhone(), state: "IL" };
    const [ada] = await createRecruits(manager, [
      { first_name: "Ada" },
      { first_name: "Zoe" },
      { first_name: "Ben" },
      { first_name: "Gina", metadata },
      { first_name: "Gina", metadata },
    ]);
    await signIn(page, manager, "recruits");
    await rows(page).filter({ hasText: "2 applications" }).nth(1).waitFor();
    await page.getByRole("button", { name: "Name" }).click();
    await until(async () =>
      /^Ada,Ben,Gina.*,Zoe$/s.test((await page.getByRole("main").getByRole("rowheader").allInnerTexts()).join())
    );

    await page.getByRole("checkbox", { name: "Select Zoe" }).check();
    await page.getByRole("checkbox", { name: "Select Ada" }).check();
    await assertAccessible(page);
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
    const stack = (stage: string) => page.getByRole("region", { name: stage, exact: true });
    await stack("Interview").getByRole("heading", { name: "Interview 2" }).waitFor();
    await assertAccessible(page);
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
    const address = page.url();
    await page.getByRole("main").getByRole("link", { name: "A vendor" }).click();
    await until(() => page.url() !== address);
    await page.getByRole("heading", { name: "Other applications" }).waitFor();
  },
);

deskTest(
  "a long list is read to its end, each recruit once, and a manager downloads all of it as CSV",
  async (page) => {
    const manager = await createManager((await createAgentWithLead()).agency_id);
    const names = Array.from({ length: 60 }, (_, place) => `Recruit ${place}.`);
    const ids = await createRecruits(manager, names.map((first_name) => ({ first_name })));
    // Leads of one import have the same time.
    await sql`update public.recruiting_leads set created_at = now() where id in ${sql(ids.slice(0, 55))}`;
    await signIn(page, manager, "recruits");
    await page.getByText("60 recruits", { exact: true }).waitFor();
    await rows(page).nth(49).waitFor();
    await page.getByRole("button", { name: "Show more" }).click();
    await rows(page).nth(59).waitFor();
    assert.equal(await page.getByRole("button", { name: "Show more" }).count(), 0);
    const shown = (await page.getByRole("main").getByRole("rowheader").allInnerTexts()).map((name) => name.trim());
    assert.deepEqual(shown.toSorted(), names.toSorted());
    await rows(page).nth(58).getByRole("link").click();
    await page.getByRole("link", { name: "All recruits" }).click();
    await rows(page).nth(59).waitFor();
    await until(() => page.evaluate("scrollY > 1000"));

    // More than one page of the service, and what a spreadsheet would take for formulas.
    await createRecruits(manager, [
      { first_name: '=HYPERLINK("https://example.com")', metadata: { last_name: "+1", email: "@x" } },
      { first_name: "Zoë", metadata: { phone: "+13125550142" } },
    ]);
    await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, agency_id, agent_id, created_at)
    select (select id from public.vendors limit 1), 'Recruit ' || n, 'not_requested', ${manager.agency_id},
      ${manager.agent_id}, now() - n * interval '1 minute'
    from generate_series(1, 450) n`;
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

    await page.getByRole("button", { name: "Board" }).click();
    await page.getByRole("heading", { name: "New 512", exact: true }).waitFor();
  },
);

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
