import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { assertAccessible, deskTest, signIn } from "./harness.ts";
import { createColleague, createTalk, createTexter } from "./talks.ts";

deskTest("a manager downloads the list as CSV, whole and without formulas, and that is noted", async (page) => {
  const manager = await createTexter("manager");
  const omar = await createColleague(manager, "Omar");
  await createTalk(manager, '=HYPERLINK("https://example.com")', { last_name: "+1", email: "@x" });
  await createTalk(omar, "Zoë");
  // More than one page of the service.
  await sql`
    insert into public.recruiting_leads (vendor_id, first_name, distribution, agency_id, agent_id, created_at)
    select (select id from public.vendors limit 1), 'Recruit ' || n, 'not_requested', ${manager.agency_id},
      ${manager.agent_id}, now() - n * interval '1 minute'
    from generate_series(1, 1100) n`;
  await signIn(page, manager, "recruits");
  const button = await page.getByRole("button", { name: "Download as CSV" }).boundingBox();
  const list = await page.getByRole("main").getByRole("table").boundingBox();
  assert(button!.y < list!.y, "above the list, however long that is");
  await assertAccessible(page);
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download as CSV" }).click();
  const download = await downloading;
  assert.equal(download.suggestedFilename(), "recruits.csv");
  const lines = Deno.readTextFileSync(await download.path()).split("\r\n");
  assert.equal(lines[0], "\ufefffirst_name,last_name,phone,email,state,vendor,stage,agent,created_at");
  assert.equal(lines.length, 1 + 1102 + 1);
  assert(lines.some((line) => line.startsWith("Zoë,,+1") && line.includes(",new,Omar Quist,")));
  assert(lines.some((line) => line.startsWith(`"'=HYPERLINK(""https://example.com"")",+1,`) && line.includes(",'@x,")));
  const noted = await sql`select agent_id, recruits from public.recruit_exports where agency_id = ${manager.agency_id}`;
  assert.deepEqual(noted.map((row) => ({ ...row })), [{ agent_id: manager.agent_id, recruits: 1102 }]);
});

deskTest("an agent is not offered an export", async (page) => {
  const agent = await createTexter();
  await createTalk(agent);
  await signIn(page, agent, "recruits");
  await page.getByRole("link", { name: /^Maya/ }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Download as CSV" }).count(), 0);
});
