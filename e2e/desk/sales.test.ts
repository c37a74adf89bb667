import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createLead, signInNewAgent } from "../support/agents.ts";
import { createAgency, sql } from "../support/client.ts";
import { rows } from "./recruit_rows.ts";
import { assertAccessibleInDarkToo, assertFits, deskTest, signIn, until } from "./harness.ts";

async function textOf(page: Page, row = 0): Promise<string> {
  await rows(page).nth(row).waitFor();
  return (await rows(page).nth(row).innerText()).replace(/\s+/g, " ");
}

deskTest(
  "sales leads say how far each has come, the agency's own presentation gets the lead's id, and a manager narrows them",
  async (page) => {
    const { id: agency_id } = await createAgency();
    const manager = await signInNewAgent(agency_id, "manager");
    const lead_id = await createLead(agency_id, manager.agent_id);
    await page.context().route("**/config.json", async (route) => {
      const config = await (await route.fetch()).json();
      await route.fulfill({ json: { ...config, presentation_url: "https://present.example/show?agency=7" } });
    });
    await page.context().route("https://present.example/**", (route) => route.fulfill({ body: "Their own" }));
    await signIn(page, manager, "sales");
    assert.match(
      await textOf(page),
      /^Ida 555-0100 IL Final expense New NQ Nora Quist \S+ [AP]M 0 0 none yet Present to Ida/,
    );
    const present = page.getByRole("button", { name: "Present" });
    const popup = page.waitForEvent("popup");
    await present.click();
    const popout = await popup;
    await popout.getByText("Their own").waitFor();
    const address = new URL(popout.url());
    assert.equal(address.origin, "https://present.example");
    assert.deepEqual(Object.fromEntries(address.searchParams), { agency: "7", lead_id, agent_id: manager.agent_id });
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
      where id = ${lead_id}`;
    await manager.client.rpc("submit_lead_presentation", {
      lead_id,
      demographics: null,
      sale: { product: "Final expense", annual_premium: 612.5 },
    }).throwOnError();
    await sql`
      insert into public.leads (external_id, agency_id, agent_id, first_name, phone, phone_e164, state, type, created_at, stage)
      select gen_random_uuid(), ${agency_id}, ${manager.agent_id}, 'Lead ' || n || '.', '555', '+1312555012' || n,
        'IL', case n when 3 then 'union' else 'fe' end,
        now() - n * interval '1 day', case n when 3 then 'called back' else 'new' end
      from generate_series(1, 5) n`;
    await page.reload();
    await page.getByText("6 leads").waitFor();
    assert.match(
      await textOf(page),
      /^Rosa Delgado \(773\) 555-0112 IL Final expense Presented NQ Nora Quist \d+:\d\d [AP]M 1 1 \d+:\d\d [AP]M Present again/,
    );
    assert.equal(await rows(page).first().getByRole("link").getAttribute("href"), "tel:+17735550112");
    await assertAccessibleInDarkToo(page);
    await page.setViewportSize({ width: 768, height: 1024 });
    await assertFits(page);
    const button = await page.getByRole("button", { name: "Present to" }).first().boundingBox();
    assert(button!.x + button!.width <= 768);
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.getByRole("columnheader", { name: "Received" }).getByRole("button").click();
    await until(async () => (await textOf(page)).startsWith("Lead 5."));
    const alone = (name: string) =>
      until(async () => (await rows(page).getByRole("rowheader").allInnerTexts()).join() === name);
    await page.getByRole("searchbox").fill("0124");
    await alone("Lead 4.");
    await page.getByRole("searchbox").fill("");
    await page.getByLabel("Stage").selectOption("Called back");
    await alone("Lead 3.");
    await page.getByLabel("State").selectOption("Texas");
    await page.getByText("Nobody is found.").waitFor();
  },
);
