import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { createAgentWithLead, createLead, signInNewAgent } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { rows } from "./recruit_rows.ts";
import { assertAccessible, assertFits, deskTest, PHONE, signIn, until } from "./harness.ts";

async function textOf(page: Page, row = 0): Promise<string> {
  await rows(page).nth(row).waitFor();
  return (await rows(page).nth(row).innerText()).replace(/\s+/g, " ");
}

deskTest("an agent's sales leads say how far each has come", async (page) => {
  const agent = await createAgentWithLead();
  await signIn(page, agent, "sales");
  assert.match(
    await textOf(page),
    /^Ida 555-0100 IL Final expense New \S+ [AP]M 0 0 none yet Present to Ida/,
  );
  await sql`
    update public.leads set first_name = 'Rosa', last_name = 'Delgado', phone_e164 = '+17735550112', stage = 'sold'
    where id = ${agent.lead_id}`;
  await agent.client.rpc("submit_lead_presentation", {
    lead_id: agent.lead_id,
    demographics: null,
    sale: { product: "Final expense", annual_premium: 612.5 },
  }).throwOnError();
  await page.reload();
  assert.match(
    await textOf(page),
    /^Rosa Delgado \(773\) 555-0112 IL Final expense Sold \d+:\d\d [AP]M 1 1 \d+:\d\d [AP]M Present again/,
  );
  assert.equal(await rows(page).getByRole("link").getAttribute("href"), "tel:+17735550112");
  await assertAccessible(page);
});

deskTest("sales leads on a phone look as in the docs", async (page) => {
  const agent = await createAgentWithLead();
  await sql`update public.agencies set name = 'Three Rivers Insurance' where id = ${agent.agency_id}`;
  for (
    const [first_name, last_name, phone, stage] of [
      ["Walter", "Nguyen", "+17735550111", "sold"],
      ["Rosa", "Delgado", "+17735550112", "new"],
      ["Helen", "Kowalski", "+18475550113", "new"],
      ["Greg", "Sandoval", "+17205550114", "called back"],
    ] as const
  ) {
    const id = await createLead(agent.agency_id, agent.agent_id);
    await sql`
      update public.leads
      set first_name = ${first_name}, last_name = ${last_name}, phone_e164 = ${phone}, stage = ${stage}
      where id = ${id}`;
    if (stage === "new") continue;
    await agent.client.rpc("submit_lead_presentation", {
      lead_id: id,
      demographics: null,
      sale: stage === "sold" ? { product: "Final expense", annual_premium: 612.5 } : null,
    }).throwOnError();
  }
  await signIn(page, agent, "sales");
  await rows(page).nth(4).waitFor();
  await assertFits(page);
  const boxOf = async (locator: Locator) => (await locator.boundingBox())!;
  const rosa = rows(page).filter({ hasText: "Rosa" });
  const present = await boxOf(rosa.getByRole("button", { name: "Present to" }));
  assert(present.height >= 40, `${present.height} px`);
  assert.match(await rosa.getByRole("button", { name: "Present to" }).getAttribute("class") ?? "", /plain/);
  const name = await boxOf(rosa.getByRole("rowheader"));
  assert(name.y < present.y + present.height && present.y < name.y + name.height, "they are one line");
  const phone = await boxOf(rosa.getByRole("link"));
  const icon = await boxOf(rosa.getByRole("link").locator("svg"));
  assert(Math.abs(icon.y + icon.height / 2 - present.y - present.height / 2) < 2, "they have one axis");
  for (const words of ["IL", "Final expense", "New"]) {
    const { y, height } = await boxOf(rosa.getByText(words, { exact: true }));
    assert(y < phone.y + phone.height && phone.y < y + height, `${words} is beside the phone`);
  }
  await rows(page).filter({ hasText: "Greg" }).getByText("Called back").waitFor();
  await assertAccessible(page);
}, PHONE);

deskTest("a list of 120 sales leads is read to its end, and searched", async (page) => {
  const agent = await createAgentWithLead();
  await sql`
    insert into public.leads (external_id, agency_id, agent_id, first_name, phone, phone_e164, state, type, created_at, stage)
    select gen_random_uuid(), ${agent.agency_id}, ${agent.agent_id}, 'Lead ' || n || '.', '555', '+131255501' || n,
      'IL', 'fe', now() - n / 30 * interval '1 day', case n when 78 then 'called back' else 'new' end
    from generate_series(1, 119) n`;
  await signIn(page, agent, "sales");
  for (const count of [50, 100, 120]) {
    await rows(page).nth(count - 1).waitFor();
    assert.equal(await rows(page).count(), count);
    assert.equal(await page.locator("[role=alert]").count(), 0);
    if (count < 120) await page.getByRole("button", { name: "Show more" }).click();
  }
  const names = await rows(page).getByRole("rowheader").allInnerTexts();
  assert.equal(new Set(names).size, 120);
  await page.getByText("120 leads").waitFor();
  const received = page.getByRole("columnheader", { name: "Received" });
  assert.equal(await received.getAttribute("aria-sort"), "descending");
  await received.getByRole("button").click();
  await until(async () => /^Lead (9\d|1[01]\d)\./.test(await textOf(page)));
  assert.equal(await received.getAttribute("aria-sort"), "ascending");
  for (const typed of ["lead 77.", "0177"]) {
    await page.getByRole("searchbox").fill(typed);
    await until(async () => await rows(page).count() === 1);
    assert.match(await textOf(page), /^Lead 77\./);
  }
  await page.getByText("1 lead", { exact: true }).waitFor();
  await page.getByRole("searchbox").fill("");
  await sql`
    update public.leads set state = 'new york', type = 'union'
    where agency_id = ${agent.agency_id} and first_name = 'Lead 78.'`;
  const alone = async () => (await rows(page).getByRole("rowheader").allInnerTexts()).join() === "Lead 78.";
  await page.getByLabel("Type").selectOption("Union");
  await until(alone);
  await page.getByLabel("Type").selectOption("");
  await until(async () => await rows(page).count() > 1);
  await page.getByLabel("State").selectOption("New York");
  await until(alone);
  await page.getByLabel("State").selectOption("");
  await until(async () => await rows(page).count() > 1);
  await page.getByLabel("Stage").selectOption("Called back");
  await page.waitForURL(/stage=called\+back/);
  await until(alone);
  await page.getByLabel("State").selectOption("Texas");
  await page.getByText("Nobody is found.").waitFor();
  await assertAccessible(page);
});

deskTest("a colleague's sales leads are a manager's to see, and no other agent's", async (page) => {
  const agent = await createAgentWithLead();
  await signIn(page, await signInNewAgent(agent.agency_id), "sales");
  await page.getByText("There are no sales leads yet.").waitFor();
  await assertAccessible(page);
  await page.getByRole("button", { name: "Nora Quist" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await signIn(page, await signInNewAgent(agent.agency_id, "manager"), "sales");
  assert.match(await textOf(page), /^Ida 555-0100 IL Final expense New NQ Nora Quist/);
  for (const width of [768, 1024, 1345]) {
    await page.setViewportSize({ width, height: 1024 });
    await assertFits(page);
    const button = await page.getByRole("button", { name: "Present to" }).boundingBox();
    assert(button!.x + button!.width <= width);
  }
  await page.getByLabel("Agent").selectOption({ index: 1 });
  await page.waitForURL(/agent=/);
});

deskTest("an agency's own presentation gets the ids of the lead and its agent", async (page) => {
  const agent = await createAgentWithLead();
  await page.context().route("**/config.json", async (route) => {
    const config = await (await route.fetch()).json();
    await route.fulfill({ json: { ...config, presentation_url: "https://present.example/show?agency=7" } });
  });
  await page.context().route("https://present.example/**", (route) => route.fulfill({ body: "Their own" }));
  await signIn(page, agent, "sales");
  const popup = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Present to" }).click();
  const popout = await popup;
  await popout.getByText("Their own").waitFor();
  const address = new URL(popout.url());
  assert.equal(address.origin, "https://present.example");
  assert.deepEqual(Object.fromEntries(address.searchParams), {
    agency: "7",
    lead_id: agent.lead_id,
    agent_id: agent.agent_id,
  });
  assert.equal(await popout.evaluate("String(opener)"), "null", "it cannot send the desk to another address");

  await popout.evaluate("document.title = 'typed in'");
  await page.getByRole("button", { name: "Present to" }).click();
  await page.waitForTimeout(500);
  assert.deepEqual([page.context().pages().length, await popout.title()], [2, "typed in"]);
  await popout.close();
  const another = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Present to" }).click();
  await (await another).getByText("Their own").waitFor();
});

deskTest("a window that the browser blocks is told", async (page) => {
  await page.addInitScript("globalThis.open = () => null");
  await signIn(page, await createAgentWithLead(), "sales");
  await page.getByRole("button", { name: "Present to" }).click();
  await page.getByText("The browser has blocked the window.").waitFor();
});
