/** The lists of operators, and the keys of vendors. What each looks like is in operator.test.ts. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { phoneText } from "../../desk/ui/phone.ts";
import { checkAlerts } from "../support/alerts.ts";
import { createVendor, send, sql } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { deskTest, hideOtherVendors, signIn } from "./harness.ts";
import { createTalk, createTexter, tell } from "./talks.ts";

deskTest(
  "reasons are narrowed, waiting recruits have their agent's address, and a vendor gets a new key",
  async (page) => {
    const vendor = await createVendor();
    await reject(
      ...["some", "other", "other"].map((reason) => ({ vendor_id: vendor.id, reason: `reason, "${reason}"` })),
    );
    const agent = await createTexter();
    const talk = await createTalk(agent, "Devonshire");
    await sql`update public.agents set email = 'ada@example.com' where id = ${agent.agent_id}`;
    await tell(talk, [["recruit", "Hello?", 6_000]]);
    // Later than those of other tests.
    await sql`
      with lead as (
        insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name, distribution)
        values (${vendor.id}, 'once-more', 'Ada', 'not_requested') returning id
      )
      insert into public.recruiting_lead_duplicates (lead_id, vendor_id, received_at, request_id)
      select id, ${vendor.id}, now() + interval '2 days', gen_random_uuid() from lead`;
    await checkAlerts();
    await signIn(page, await signInNewOperator(), "operator/deliveries");
    await page.getByLabel("Vendor").selectOption({ label: vendor.slug });
    await page.getByRole("searchbox").fill('"other"');
    await page.getByLabel("Code").selectOption("BAD_REQUEST");
    await page.getByRole("row").nth(2).waitFor({ state: "detached" });
    const own = page.getByRole("row").filter({ hasText: vendor.slug });
    await own.getByRole("rowheader", { name: 'reason, "other"' }).waitFor();
    assert.equal(await own.locator("td.number").innerText(), "2");
    await own.getByRole("link", { name: /^Replay or dismiss/ }).waitFor();
    assert.equal((await own.boundingBox())!.height, 36, "a button makes no row higher");
    // The address has all of it, and the navigation counts each delivery.
    const [counted] = await sql`select count(*)::int as open from public.rejected_deliveries where status = 'open'`;
    await page.reload();
    await page.getByRole("navigation", { name: "Operator" })
      .getByText(`Rejected deliveries${counted!.open.toLocaleString("en-US")}`).waitFor();
    await own.getByRole("rowheader", { name: 'reason, "other"' }).waitFor();

    await page.evaluate("location.hash = '#/operator/recruits'");
    const waiting = page.getByRole("row").filter({ hasText: "Devonshire" }).filter({
      hasText: phoneText(talk.recruit),
    });
    const mail = await waiting.getByRole("link", { name: /^E-mail/ }).getAttribute("href");
    assert.match(mail!, /^mailto:ada@example.com\?subject=/);

    await page.evaluate("location.hash = '#/operator/duplicates'");
    await page.getByRole("table", { name: "Duplicate leads" }).getByRole("rowheader", { name: "once-more" }).waitFor();
    await sql`delete from public.recruiting_lead_duplicates where vendor_id = ${vendor.id}`;
    await sql`delete from public.rejected_deliveries where vendor_id = ${vendor.id}`;
    await readVendors(page);
  },
);

/** Reads the keys of vendors, and gives a vendor a new one. */
async function readVendors(page: Page): Promise<void> {
  const vendor = await createVendor();
  await sql`insert into public.recruiting_leads (vendor_id, first_name, distribution) values (${vendor.id}, 'Ada', 'unmatched')`;
  const idle = await createVendor();
  await reject({ vendor_id: idle.id, payload: {} });
  await hideOtherVendors(page, vendor.slug, idle.slug);
  await sql`update public.vendors set webhook_scheme = 'standard' where id = ${vendor.id}`;
  await sql`update public.vendor_api_keys set expires_at = now() + interval '5 days 1 hour' where vendor_id = ${vendor.id}`;
  await page.evaluate("location.hash = '#/operator/vendors/keys'");
  const table = page.getByRole("table", { name: "Keys of vendors" });
  // The key that expires soon stands first.
  await table.getByRole("row").nth(2).getByText("in 5 days").waitFor();
  await table.getByRole("row").nth(2).getByRole("cell", { name: "uses its webhook" }).waitFor();
  const keys = table.getByRole("row").filter({ hasText: idle.slug });
  const cells = await keys.getByRole("cell").allInnerTexts();
  assert.deepEqual([cells[0], cells[2], cells[3]], ["1", "never", "never"]);
  assert.match(cells[1]!, /^(Today|[A-Z]\w\w \d+)$/, "the day of the last delivery, also one that was rejected");
  assert.equal(await keys.getByRole("button", { name: "New key" }).count(), 0);
  await table.getByRole("row").nth(2).getByRole("button", { name: "New key" }).waitFor();
  await keys.getByRole("button", { name: /^More about/ }).click();
  await page.getByRole("menuitem", { name: "New key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "New key" }).click();
  const shown = page.getByText(`The new key of ${idle.slug}, shown only this once`);
  const key = await shown.locator("code").innerText();
  assert.equal(
    (await send("/recruiting/ingest", { headers: { authorization: `Bearer ${key}` }, body: {} })).status,
    400,
  );
  await keys.getByRole("cell", { name: "2", exact: true }).waitFor();
  await sql`delete from public.recruiting_leads where vendor_id = ${vendor.id}`;
}
