import assert from "node:assert/strict";
import { signInNewOperator } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { assertAccessible, assertFits, deskTest, PHONE, signIn } from "./harness.ts";
import { createTeam } from "./teams.ts";

deskTest("an operator finds an agency, changes its settings, and sees who did it", async (page) => {
  const team = await createTeam([{ filled: 1200, quantity: 5000 }]);
  const phone = `+1312555${String(Math.random()).slice(2, 6)}`;
  await sql`
    insert into public.service_numbers (phone, agency_id, status) values (${phone}, ${team.agency_id}, 'paused')`;
  // Before those of other tests, of which there are more than the page reads.
  await sql`
    insert into public.alerts (kind, subject, problem, agency_id, link, details)
    values ('number_paused', ${phone}, 'paused, so its texts wait', ${team.agency_id}, '/operator/numbers',
      '{"since": "2020-01-01T10:00:00Z"}')`;
  const name = `Agency ${crypto.randomUUID().slice(0, 8)}`;
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
  await look();
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

  await tabs.getByRole("link", { name: "Orders and greetings" }).click();
  await page.getByRole("button", { name: "Pause the open order" }).waitFor();
  await look();

  await tabs.getByRole("link", { name: "History" }).click();
  const history = page.getByRole("table", { name: "History" });
  await history.getByRole("row", { name: "08:15" }).getByText(operator.email).waitFor();

  // The tabs that a manager has too are examined in settings_changes.test.ts.
  async function look(): Promise<void> {
    await assertAccessible(page);
    await page.setViewportSize(PHONE.viewport!);
    await assertFits(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
});
