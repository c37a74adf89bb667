import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createAgentWithLead, signInNewAgent } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { rows } from "./recruit_rows.ts";
import { assertAccessible, assertFits, deskTest, signIn, until } from "./harness.ts";

async function textOf(page: Page, row = 0): Promise<string> {
  await rows(page).nth(row).waitFor();
  return (await rows(page).nth(row).innerText()).replace(/\s+/g, " ");
}

deskTest(
  "an agent's sales leads say how far each has come, and the agency's own presentation gets the lead's id",
  async (page) => {
    const agent = await createAgentWithLead();
    await page.context().route("**/config.json", async (route) => {
      const config = await (await route.fetch()).json();
      await route.fulfill({ json: { ...config, presentation_url: "https://present.example/show?agency=7" } });
    });
    await page.context().route("https://present.example/**", (route) => route.fulfill({ body: "Their own" }));
    await signIn(page, agent, "sales");
    assert.match(
      await textOf(page),
      /^Ida 555-0100 IL Final expense New \S+ [AP]M 0 0 none yet Present to Ida/,
    );
    const present = page.getByRole("button", { name: "Present" });
    const popup = page.waitForEvent("popup");
    await present.click();
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
    await present.click();
    await page.waitForTimeout(500);
    assert.deepEqual([page.context().pages().length, await popout.title()], [2, "typed in"]);
    await popout.close();
    await page.evaluate("globalThis.open = () => null");
    await present.click();
    await page.getByText("The browser has blocked the window.").waitFor();

    await sql`
      update public.leads set first_name = 'Rosa', last_name = 'Delgado', phone_e164 = '+17735550112', stage = 'presented'
      where id = ${agent.lead_id}`;
    await agent.client.rpc("submit_lead_presentation", {
      lead_id: agent.lead_id,
      demographics: null,
      sale: { product: "Final expense", annual_premium: 612.5 },
    }).throwOnError();
    await page.reload();
    assert.match(
      await textOf(page),
      /^Rosa Delgado \(773\) 555-0112 IL Final expense Presented \d+:\d\d [AP]M 1 1 \d+:\d\d [AP]M Present again/,
    );
    assert.equal(await rows(page).getByRole("link").getAttribute("href"), "tel:+17735550112");
    await assertAccessible(page);
  },
);

deskTest("a manager reads the agency's sales leads to their end, and finds, sorts and narrows them", async (page) => {
  const agent = await createAgentWithLead();
  await sql`
    insert into public.leads (external_id, agency_id, agent_id, first_name, phone, phone_e164, state, type, created_at, stage)
    select gen_random_uuid(), ${agent.agency_id}, ${agent.agent_id}, 'Lead ' || n || '.', '555', '+131255501' || n,
      'IL', case n when 38 then 'union' else 'fe' end,
      now() - n / 30 * interval '1 day', case n when 38 then 'called back' else 'new' end
    from generate_series(1, 59) n`;
  await signIn(page, await signInNewAgent(agent.agency_id, "manager"), "sales");
  assert.match(await textOf(page), / IL Final expense New NQ Nora Quist /);
  await rows(page).nth(49).waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await rows(page).nth(59).waitFor();
  const names = await rows(page).getByRole("rowheader").allInnerTexts();
  assert.equal(new Set(names).size, 60);
  await page.getByText("60 leads").waitFor();
  await page.setViewportSize({ width: 768, height: 1024 });
  await assertFits(page);
  const button = await page.getByRole("button", { name: "Present to" }).first().boundingBox();
  assert(button!.x + button!.width <= 768);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("columnheader", { name: "Received" }).getByRole("button").click();
  await until(async () => /^Lead (3\d|[45]\d)\./.test(await textOf(page)));
  await page.getByLabel("Agent").selectOption(agent.agent_id);
  await page.waitForURL(/agent=/);
  await page.getByRole("searchbox").fill("0120");
  await until(async () => await rows(page).count() === 1);
  assert.match(await textOf(page), /^Lead 20\./);
  await page.getByRole("searchbox").fill("");
  const alone = async () => (await rows(page).getByRole("rowheader").allInnerTexts()).join() === "Lead 38.";
  await page.getByLabel("Type").selectOption("Union");
  await until(alone);
  await page.getByLabel("Type").selectOption("");
  await until(async () => await rows(page).count() > 1);
  await page.getByLabel("Stage").selectOption("Called back");
  await until(alone);
  await page.getByLabel("State").selectOption("Texas");
  await page.getByText("Nobody is found.").waitFor();
});
