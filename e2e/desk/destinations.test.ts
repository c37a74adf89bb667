import assert from "node:assert/strict";
import { signInNewOperator } from "../support/agents.ts";
import { createVendor, sql } from "../support/client.ts";
import { assertAccessible, assertFits, deskTest, NARROW, signIn, until } from "./harness.ts";
import { createTeam } from "./teams.ts";
import { wake } from "./tokens.ts";

deskTest("a manager tests a destination, sends again what failed, pauses it, and an operator sees it", async (page) => {
  const team = await createTeam();
  const changes = { kind: "webhook", url: "https://crm.example.com/leads", events: ["lead.distributed"] };
  const [{ id }] = await sql`
    select (public.save_destination(${team.agency_id}, 'crm', ${
    sql.json(changes)
  }) ->> 'id')::uuid as id` as unknown as [{ id: string }];
  const states = async () =>
    (await sql`select state from private.dispatches where destination_id = ${id} order by created_at`)
      .map(({ state }) => state);

  await signIn(page, team, "settings/destinations");
  const destinations = page.getByRole("region", { name: "Destinations" });
  await destinations.getByText("The people who run the service manage destinations. Ask them to change one.").waitFor();
  const crm = destinations.getByRole("listitem").filter({ hasText: "crm.example.com/leads" });
  assert.equal(await crm.locator(".url").getAttribute("title"), changes.url);
  await crm.getByText("nothing delivered yet").waitFor();
  await crm.getByRole("button", { name: "Test crm" }).click();
  await crm.getByText("test", { exact: true }).waitFor();
  await crm.getByText("waiting", { exact: true }).waitFor();
  await sql`
    update private.dispatches set state = 'failed', ended_at = now(), attempt = 8, status = 503, reason = 'HTTP 503'
    where destination_id = ${id}`;
  await wake(page);
  await crm.getByRole("cell", { name: "503", exact: true }).waitFor();
  assert.equal(await crm.getByRole("row").getByRole("link").count(), 0);
  await page.setViewportSize(NARROW);
  await assertFits(page);
  await crm.getByRole("button", { name: "Send again test" }).click();
  await until(async () => (await states()).join() === "waiting");

  await crm.getByRole("button", { name: "Pause crm" }).click();
  await crm.getByText("Paused", { exact: true }).waitFor();
  assert.equal(await crm.getByRole("button", { name: "Test crm" }).count(), 0);

  await sql`update private.dispatches set attempt = 1, status = 503, reason = 'HTTP 503' where destination_id = ${id}`;
  await sql`update public.destinations set failing_since = now(), failures = 1 where id = ${id}`;
  const [lead] = await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, vendor_metadata)
    values (${(await createVendor()).id}, 'Ada', 'not_requested', '{}') returning id`;
  await sql`
    insert into private.dispatches (destination_id, event, lead_id, state, ended_at, created_at)
    values (${id}, 'lead.distributed', ${lead!.id}, 'cancelled', now(), now() - interval '1 day')`;
  // The first by name.
  const name = `0 ${team.agency_id}`;
  await sql`update public.agencies set name = ${name} where id = ${team.agency_id}`;
  const operator = await signInNewOperator();
  await signIn(page, operator, "operator/destinations");
  // What fails is first.
  const seen = page.getByRole("row").filter({ hasText: name });
  for (const words of ["crm.example.com/leads", "failing", "HTTP 503", "nothing yet"]) {
    await seen.getByText(words, { exact: true }).waitFor();
  }
  await page.getByRole("heading", { name: /^[\d,]+ agenc(y has|ies have) no destination$/ }).waitFor();
  await assertFits(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await assertAccessible(page);
  await seen.getByRole("link").click();
  await page.getByRole("heading", { name: `Destination crm of ${name}` }).waitFor();
  await page.getByText(/^Failing since .*: HTTP 503$/).waitFor();
  await page.getByText("waiting", { exact: true }).waitFor();
  // By the time that is shown, and each leads to its lead.
  const log = page.getByRole("table", { name: "Log" });
  await until(async () => (await log.getByRole("rowheader").allInnerTexts()).join() === "test,new lead");
  await log.getByRole("link", { name: "Ada" }).and(page.locator(`[href="#/operator/search/${lead!.id}"]`)).waitFor();
  await assertAccessible(page);
  await page.goBack();
  await seen.getByRole("button", { name: "Resume crm" }).click();
  await seen.getByRole("button", { name: "Resume crm" }).waitFor({ state: "detached" });
  await sql`update public.destinations set failing_since = null, failures = 0 where id = ${id}`;
});
