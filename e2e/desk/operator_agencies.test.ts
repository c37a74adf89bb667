import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { createVendor, sql } from "../support/client.ts";
import { assertAccessible, assertAccessibleInDarkToo, assertFits, deskTest, PHONE, signIn, until } from "./harness.ts";
import { createTeam } from "./teams.ts";

deskTest(
  "an operator finds an agency, changes its settings, sees who did it, and resumes its destination",
  async (page) => {
    const team = await createTeam([{ filled: 1200, quantity: 5000 }]);
    const phone = `+1312555${String(Math.random()).slice(2, 6)}`;
    await sql`
    insert into public.service_numbers (phone, agency_id, status) values (${phone}, ${team.agency_id}, 'paused')`;
    // Before those of other tests, of which there are more than the page reads.
    await sql`
    insert into public.alerts (kind, subject, problem, agency_id, link, details)
    values ('number_paused', ${phone}, 'paused, so its texts wait', ${team.agency_id}, '/operator/numbers',
      '{"since": "2020-01-01T10:00:00Z"}')`;
    // The first by name, of several destinations that fail. It has no letter, and is found all the same.
    const name = `0 ${crypto.getRandomValues(new Uint32Array(1))[0]} 1`;
    await sql`update public.agencies set name = ${name} where id = ${team.agency_id}`;
    const operator = await signInNewOperator();
    await signIn(page, operator, "operator/agencies");
    const agencies = page.getByRole("table", { name: "Agencies" });
    await page.getByLabel("Name of the agency").fill(name);
    await agencies.getByRole("row", { name }).waitFor();
    await agencies.getByRole("rowheader").nth(1).waitFor({ state: "detached" });
    for (const words of ["Eastern Time (New York)", "1 (1,200 of 5,000 leads)", "1 1 paused", "off"]) {
      await agencies.getByRole("row", { name }).getByRole("cell", { name: words, exact: true }).waitFor();
    }
    const cells = agencies.getByRole("row", { name }).getByRole("cell");
    assert.equal(await cells.first().innerText(), "1", "its problems are counted");
    await look(page);
    await agencies.getByRole("link", { name }).click();
    const problem = page.getByRole("list", { name: "Problems" }).getByRole("listitem");
    await problem.getByText("paused, so its texts wait").waitFor();
    assert.equal(await problem.getByRole("link").getAttribute("href"), "#/operator/numbers");

    const tabs = page.getByRole("navigation", { name: "Settings" });
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.getByRole("row", { name: "Ada Byron" }).waitFor();
    await tabs.getByRole("link", { name: "Name and hours" }).click();
    const agency = page.getByRole("form", { name: "The agency" });
    await agency.getByLabel("Opens at").fill("08:15");
    await agency.getByRole("button", { name: "Save" }).click();
    await page.getByText("The agency is changed.").waitFor();

    await tabs.getByRole("link", { name: "History" }).click();
    const history = page.getByRole("table", { name: "History" });
    await history.getByRole("row", { name: "08:15" }).getByText(operator.email).waitFor();

    await resumeDestination(page, team.agency_id, name);
  },
);

// The tabs that a manager has too are examined in settings.test.ts and settings_changes.test.ts.
async function look(page: Page): Promise<void> {
  await assertAccessible(page);
  await page.setViewportSize(PHONE.viewport!);
  await assertFits(page);
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Sees that a destination fails, reads its log, and resumes it. */
async function resumeDestination(page: Page, agency_id: string, name: string): Promise<void> {
  const changes = { kind: "webhook", url: "https://crm.example.com/leads", events: ["lead.distributed"] };
  const [{ id }] = await sql<[{ id: string }]>`
    select (public.save_destination(${agency_id}, 'crm', ${sql.json(changes)}) ->> 'id')::uuid as id`;
  await sql`update public.destinations set failing_since = now(), failures = 1, is_on = false where id = ${id}`;
  const [lead] = await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, vendor_metadata)
    values (${(await createVendor()).id}, 'Ada', 'not_requested', '{}') returning id`;
  await sql`
    insert into private.dispatches (destination_id, event, lead_id, state, ended_at, created_at, attempt, status, reason) values
      (${id}, 'lead.distributed', ${lead!.id}, 'cancelled', now(), now() - interval '1 day', 0, null, null),
      (${id}, 'test', null, 'waiting', null, now(), 1, 503, 'HTTP 503')`;
  await page.evaluate(`location.hash = "#/operator/destinations"`);
  // What fails is first.
  const seen = page.getByRole("row").filter({ hasText: name });
  for (const words of ["crm.example.com/leads", "failing", "HTTP 503", "nothing yet"]) {
    await seen.getByText(words, { exact: true }).waitFor();
  }
  await page.getByRole("heading", { name: /^[\d,]+ agenc(y has|ies have) no destination$/ }).waitFor();
  await look(page);
  await seen.getByRole("link").click();
  await page.getByRole("heading", { name: `Destination crm of ${name}` }).waitFor();
  await page.getByText(/^Failing since .*: HTTP 503$/).waitFor();
  await page.getByText("waiting", { exact: true }).waitFor();
  // By the time that is shown, and each leads to its lead.
  const log = page.getByRole("table", { name: "Log" });
  await until(async () => (await log.getByRole("rowheader").allInnerTexts()).join() === "test,new lead");
  await log.getByRole("link", { name: "Ada" }).and(page.locator(`[href="#/operator/search/${lead!.id}"]`)).waitFor();
  await assertAccessibleInDarkToo(page);
  await page.goBack();
  await seen.getByRole("button", { name: "Resume crm" }).click();
  await seen.getByRole("button", { name: "Resume crm" }).waitFor({ state: "detached" });
  await sql`update public.destinations set failing_since = null, failures = 0 where id = ${id}`;
}
