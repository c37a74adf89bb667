import assert from "node:assert/strict";
import { createAgentWithLead, signInNewAgent } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { createRecruits, rows } from "./recruit_rows.ts";
import { assertAccessible, assertFits, DESK, deskTest, NARROW, PHONE, signIn, until } from "./harness.ts";

async function createManager(agency_id: string) {
  return { ...await signInNewAgent(agency_id, "manager"), agency_id };
}

deskTest("an agent's recruits stand newest first, and one that is opened is unread no more", async (page) => {
  const agent = await createAgentWithLead();
  const [ada, ben] = await createRecruits(agent, [
    { first_name: "Ada", metadata: { last_name: "Lovelace", phone: "+13125550142", state: "IL" } },
    { first_name: "Ben" },
  ]);
  await sql`insert into public.agent_notifications (agent_id, lead_id, kind) values (${agent.agent_id}, ${ada!}, 'lead')`;
  await sql`
    insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
    values (${ben!}, ${agent.agency_id}, ${newPhone()}, ${newPhone()})`;
  await signIn(page, agent, "recruits");
  await rows(page).first().waitFor();
  assert.match(
    (await rows(page).allInnerTexts()).join("\n"),
    /^\s+Ada Lovelace\s+not opened\s+\(312\) 555-0142\s+IL\s[^]*Call first/,
  );
  assert.match((await rows(page).allInnerTexts())[1]!, /^\s+Ben\s+no phone\s/);
  assert.equal(await rows(page).getByRole("link", { name: "555-0142" }).getAttribute("href"), "tel:+13125550142");
  await assertAccessible(page);

  await page.getByRole("link", { name: /^Ada Lovelace/ }).click();
  await page.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
  await until(async () => (await unread(agent.agent_id)) === 0);
  assert.equal(await unread(agent.agent_id), 0);
  await page.getByRole("link", { name: "All recruits" }).click();
  await rows(page).getByText("not opened").waitFor({ state: "detached" });
});

async function unread(agent_id: string): Promise<number> {
  const [row] = await sql`
    select count(*)::int from public.agent_notifications where agent_id = ${agent_id} and read_at is null`;
  return row!.count;
}

deskTest("a manager's recruits look as in the docs", async (page) => {
  const { agency_id } = await createAgentWithLead();
  await sql`update public.agencies set name = 'Three Rivers Insurance' where id = ${agency_id}`;
  const manager = await createManager(agency_id);
  await sql`update public.agents set first_name = 'Dana', last_name = 'Whitfield' where id = ${manager.agent_id}`;
  const people = [
    ["Nadia", "Petrov", "IL"],
    ["Marcus", "Bell", "IN"],
    ["Camille", "Martin", "TX"],
    ["Samuel", "van der Berg", "NV"],
    ["Iris", "Park", "FL"],
    ["Harper", "Nguyen", "WA"],
    ["Bruce", "Okoye", "TX"],
    ["Ana Lucia", "Reyes", "AZ"],
    ["Grace", "Lindqvist", "IL"],
  ] as const;
  const ids = await createRecruits(
    manager,
    people.map(([first_name, last_name, state], place) => ({
      first_name,
      metadata: { last_name, state, phone: `+1312555012${place}` },
    })),
  );
  for (const id of ids.slice(0, 2)) {
    await sql`insert into public.agent_notifications (agent_id, lead_id, kind) values (${manager.agent_id}, ${id}, 'lead')`;
  }
  for (const id of ids.slice(2, 8)) {
    await sql`
      insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
      values (${id}, ${agency_id}, ${newPhone()}, ${newPhone()})`;
  }
  await signIn(page, manager, "recruits");
  await rows(page).nth(people.length - 1).waitFor();
  await assertFits(page);
});

deskTest("recruits are found by their name, the end of their number, their state and what they need", async (page) => {
  const agent = await createAgentWithLead();
  const [ada, ben] = await createRecruits(agent, [
    { first_name: "Ada", metadata: { last_name: "Lovelace", phone: "+13125550142", state: "IL" } },
    { first_name: "Ben", metadata: { last_name: 'O"Hara, (Jr)%', phone: "+13125550143", state: "IN" } },
  ]);
  await sql`
    insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone, waiting_since)
    values (${ben!}, ${agent.agency_id}, '+13125550143', ${newPhone()}, now())`;
  await sql`insert into public.agent_notifications (agent_id, lead_id, kind) values (${agent.agent_id}, ${ada!}, 'lead')`;
  await signIn(page, agent, "recruits");
  await rows(page).nth(1).waitFor();
  for (
    const [typed, found] of [
      ["lace ada", /Ada/],
      ["0143", /Ben/],
      ["(312) 555-0142", /Ada/],
      ['o"hara, (', /Ben/],
      ["%", /Ben/],
    ] as const
  ) {
    await page.getByRole("searchbox").fill(typed);
    await until(async () => await rows(page).count() === 1);
    await rows(page).filter({ hasText: found }).waitFor();
    assert.equal(await rows(page).count(), 1, typed);
    await page.getByRole("searchbox").fill("");
    await rows(page).nth(1).waitFor();
  }
  for (
    const [label, option, found] of [
      ["State", "Indiana", /Ben/],
      ["Waiting", "Waiting for an answer", /Ben/],
      ["Waiting", "Not opened", /Ada/],
    ] as const
  ) {
    await page.getByLabel(label, { exact: true }).selectOption(option);
    await rows(page).filter({ hasText: found }).waitFor();
    await until(async () => await rows(page).count() === 1);
    await page.getByLabel(label, { exact: true }).selectOption("");
    await rows(page).nth(1).waitFor();
  }
  await page.getByRole("searchbox").fill("Zed");
  await page.getByText("Nobody is found.").waitFor();
  await assertAccessible(page);
});

deskTest("a list of 120 recruits is read to its end, each of them once", async (page) => {
  const agent = await createAgentWithLead();
  const names = Array.from({ length: 120 }, (_, place) => `Recruit ${place}.`);
  const ids = await createRecruits(agent, names.map((first_name) => ({ first_name })));
  // Leads of one import have the same time.
  await sql`update public.recruiting_leads set created_at = now() where id in ${sql(ids.slice(0, 90))}`;
  await signIn(page, agent, "recruits");
  await page.getByText("120 recruits", { exact: true }).waitFor();
  for (const count of [50, 100, 120]) {
    await rows(page).nth(count - 1).waitFor();
    assert.equal(await rows(page).count(), count);
    if (count < 120) await page.getByRole("button", { name: "Show more" }).click();
  }
  assert.equal(await page.getByRole("button", { name: "Show more" }).count(), 0);
  const shown = (await page.getByRole("main").getByRole("rowheader").allInnerTexts()).map((name) => name.trim());
  assert.deepEqual(shown.toSorted(), names.toSorted());

  await rows(page).nth(110).getByRole("link").click();
  await page.getByRole("link", { name: "All recruits" }).click();
  await rows(page).nth(119).waitFor();
  await until(() => page.evaluate("scrollY > 3000"));
});

deskTest(
  "a manager sorts the table, gives selected recruits to an agent, sets their stage and undoes it",
  async (page) => {
    const manager = await createManager((await createAgentWithLead()).agency_id);
    const boris = await signInNewAgent(manager.agency_id);
    await sql`update public.agents set first_name = 'Boris' where id = ${boris.agent_id}`;
    await createRecruits(manager, [{ first_name: "Ada" }, { first_name: "Zoe" }, { first_name: "Ben" }]);
    const names = async () => (await page.getByRole("main").getByRole("rowheader").allInnerTexts()).join();
    await signIn(page, manager, "recruits");
    await rows(page).nth(2).waitFor();
    await page.getByRole("button", { name: "Name" }).click();
    await page.waitForURL(/\?sort=name$/);
    await until(async () => await names() === "Ada,Ben,Zoe");
    await page.getByRole("button", { name: "Name" }).click();
    await until(async () => await names() === "Zoe,Ben,Ada");

    await page.getByRole("checkbox", { name: "Select Zoe" }).check();
    await page.getByRole("checkbox", { name: "Select Ada" }).check();
    await assertAccessible(page);
    await page.getByLabel("Set their stage").selectOption("Interview");
    await page.getByText("2 recruits set to Interview.").waitFor();
    assert.equal(await page.getByLabel("Stage of Zoe").inputValue(), "interview");
    assert.equal(await page.getByLabel("Stage of Ben").inputValue(), "new");

    await page.getByRole("checkbox", { name: "Select all that are shown" }).check();
    await page.getByLabel("Give them to").selectOption({ label: "Boris Quist" });
    await page.getByText("3 recruits given to Boris Quist.").waitFor();
    await until(async () => await rows(page).filter({ hasText: "Boris Quist" }).count() === 3);
    await page.getByRole("button", { name: "Undo" }).click();
    await until(async () => await rows(page).filter({ hasText: "Nora Quist" }).count() === 3);

    await page.getByRole("link", { name: "Zoe" }).click();
    const agent = page.getByRole("combobox", { name: "Agent", exact: true });
    assert.equal(await agent.locator("option:checked").innerText(), "Nora Quist");
    await agent.selectOption({ label: "Boris Quist" });
    await page.getByText(/^Zoe.* given to Boris Quist\.$/).waitFor();
    await until(async () => await agent.locator("option:checked").innerText() === "Boris Quist");
  },
);

deskTest("on the board a recruit is moved by drag and by keyboard", async (page) => {
  const agent = await createAgentWithLead();
  const others = Array.from({ length: 58 }, (_, n) => ({ first_name: `Recruit ${n}` }));
  await createRecruits(agent, [{ first_name: "Ada" }, { first_name: "Ben" }, ...others]);
  await signIn(page, agent, "recruits?view=board");
  await page.getByRole("heading", { name: "New 60" }).waitFor();
  const stack = (stage: string) => page.getByRole("region", { name: stage, exact: true });
  await stack("New").getByRole("listitem").nth(1).waitFor();
  await assertAccessible(page);
  await stack("New").getByRole("listitem").filter({ hasText: "Ada" }).dragTo(stack("Interview"));
  await stack("Interview").getByRole("link", { name: "Ada" }).waitFor();
  await page.getByText("Ada is in Interview now.").waitFor();

  await page.getByRole("button", { name: "Move Ben" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("[role=menuitem]:focus").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await stack("Interview").getByRole("link", { name: "Ben" }).waitFor();
  await stack("Interview").getByRole("heading", { name: "Interview 2" }).waitFor();
});

deskTest("who has applied twice is marked in each view, and each application leads to the other", async (page) => {
  const agent = await createAgentWithLead();
  const metadata = { last_name: "Jensen", phone: newPhone() };
  await createRecruits(agent, [{ first_name: "Gina", metadata }, { first_name: "Ada" }]);
  await createRecruits(agent, [{ first_name: "Gina", metadata }]);
  await signIn(page, agent, "recruits");
  await rows(page).nth(2).waitFor();
  const marked = rows(page).filter({ hasText: "2 applications" });
  assert.equal(await marked.count(), 2);
  await assertAccessible(page);
  await page.setViewportSize(NARROW);
  assert.equal(await marked.first().getByText("2 applications").isVisible(), true);
  await assertFits(page);
  await page.getByRole("button", { name: "Board" }).click();
  await page.getByRole("listitem").filter({ hasText: "2 applications" }).nth(1).waitFor();
  await page.getByRole("link", { name: "Gina Jensen" }).first().click();
  const address = page.url();
  await page.getByText("Details and answers").click();
  await page.getByRole("heading", { name: "Other applications" }).waitFor();
  await assertAccessible(page);
  await page.getByRole("main").getByRole("link", { name: "A vendor" }).click();
  await until(() => page.url() !== address);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("heading", { name: "Other applications" }).waitFor();
});

deskTest("a table of recruits fits each window", async (page) => {
  const agent = await createAgentWithLead();
  const manager = await createManager(agent.agency_id);
  const phone = newPhone();
  const metadata = { last_name: "Featherstonehaugh-Cholmondeley", phone, state: "IL" };
  const [ada] = await createRecruits(manager, [{ first_name: "Bartholomew", metadata }, { first_name: "B", metadata }]);
  await sql`insert into public.agent_notifications (agent_id, lead_id, kind) values (${manager.agent_id}, ${ada!}, 'lead')`;
  await signIn(page, manager, "recruits");
  await rows(page).nth(1).waitFor();
  for (const width of [NARROW.width, 390, 721, 768, 1024, 1280, 1345, 1440]) {
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
});

deskTest("a manager reads the agency's recruits, and those of one agent", async (page) => {
  const agent = await createAgentWithLead();
  await sql`update public.agents set first_name = 'Boris' where id = ${agent.agent_id}`;
  const manager = await createManager(agent.agency_id);
  const [ada] = await createRecruits(agent, [{ first_name: "Ada" }]);
  await sql`update public.recruiting_leads set created_at = created_at - interval '1 minute' where id = ${ada!}`;
  await createRecruits(manager, [{ first_name: "Ben" }]);
  await createRecruits(await createAgentWithLead(), [{ first_name: "Elsewhere" }]);
  await signIn(page, manager, "recruits");
  await rows(page).nth(1).waitFor();
  assert.match(
    (await rows(page).allInnerTexts()).join("\n"),
    /Ben\s+no phone[^]*Nora Quist[^]*Ada\s+no phone[^]*Boris Quist/,
  );
  await page.getByLabel("Agent", { exact: true }).selectOption({ label: "Boris Quist" });
  await until(async () => await rows(page).count() === 1);
  assert.match((await rows(page).allInnerTexts()).join("\n"), /^\s+Ada/);
  await assertAccessible(page);

  await rows(page).getByRole("link", { name: "Ada" }).click();
  await page.getByRole("term").filter({ hasText: "Received" }).waitFor();
  // The agent can be chosen, so no fact says it again.
  assert.equal(await page.getByRole("term").filter({ hasText: /^Agent$/ }).count(), 0);
  await sql`update public.recruiting_leads set agent_id = null where id = ${ada!}`;
  await page.evaluate(`location.hash = "#/recruits?view=board"`);
  await page.getByRole("listitem").filter({ hasText: "Ada" }).getByText("No agent").waitFor();
});

deskTest("an agent sees nothing of a colleague's recruits", async (page) => {
  const agent = await createAgentWithLead();
  const colleague = { ...await signInNewAgent(agent.agency_id), agency_id: agent.agency_id };
  const [id] = await createRecruits(agent, [{ first_name: "Ada" }]);
  await signIn(page, colleague, "recruits");
  await page.getByText("There are no recruits yet.").waitFor();
  await assertAccessible(page);
  for (const address of [id, crypto.randomUUID(), "1"]) {
    await page.goto(`${DESK}#/recruits/${address}`);
    await page.getByText("There is no such recruit.").waitFor();
  }
});

deskTest("a list that cannot be read says so, and is read again", async (page) => {
  const agent = await createAgentWithLead();
  await createRecruits(agent, [{ first_name: "Ada" }]);
  const leads = "**/rest/v1/recruit_rows*";
  await page.route(leads, (route) => route.fulfill({ status: 400, json: { message: "no" } }));
  await signIn(page, agent, "recruits");
  await page.getByText("The recruits could not be read.").waitFor();
  await assertAccessible(page);
  const tryAgain = page.getByRole("button", { name: "Try again" });
  await Promise.all([page.waitForRequest(leads), tryAgain.click()]);
  await page.getByText("The recruits could not be read.").waitFor();
  await page.unroute(leads);
  // The page may read the list by itself meanwhile, which takes the button away.
  await tryAgain.click({ timeout: 2_000 }).catch(() => {});
  await rows(page).first().waitFor();
});

deskTest("a recruit is found, opened and left on a phone, by keyboard", async (page) => {
  const agent = await createAgentWithLead();
  await createRecruits(agent, [{
    first_name: "Ada",
    metadata: { phone: newPhone(), vendor_fields: { token: "x".repeat(300) } },
  }]);
  await signIn(page, agent, "recruits");
  await page.getByRole("searchbox").focus();
  await page.keyboard.type("ada");
  await page.waitForURL(/\?q=ada$/);
  await rows(page).first().waitFor();
  for (let keys = 0; keys < 12 && await page.locator(".row-link:focus").count() === 0; keys++) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Ada" }).waitFor();
  await assertFits(page);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Recruits", exact: true }).waitFor({ state: "attached" });
  assert.equal(await page.getByRole("searchbox").inputValue(), "ada");
}, PHONE);

deskTest("on a phone one line stands above the recruits, and folds the filters and the order", async (page) => {
  const agent = await createAgentWithLead();
  await createRecruits(agent, [{ first_name: "Ada" }, { first_name: "Zoe" }]);
  await signIn(page, agent, "recruits");
  await rows(page).first().waitFor();
  const [first, second] = await Promise.all([0, 1].map((place) => rows(page).nth(place).boundingBox()));
  assert(first!.y < 210, `${first!.y} px`);
  assert(second!.y - first!.y <= 72, `a row has ${second!.y - first!.y} px`);
  await page.getByRole("button", { name: "Board" }).click();
  await page.getByRole("region", { name: "New", exact: true }).waitFor();
  await page.getByRole("button", { name: "Table" }).click();
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByLabel("Sort by").selectOption("Name");
  await page.waitForURL(/sort=name/);
  // What is read again is pale.
  await page.locator('table[aria-busy="false"]').waitFor();
  await assertFits(page);
  await assertAccessible(page);
  await page.getByLabel("Stage", { exact: true }).selectOption("hired");
  await page.getByText("No recruit matches the filters.").waitFor();
  await page.getByRole("button", { name: "Filters (1)" }).waitFor();
}, PHONE);
