import assert from "node:assert/strict";
import { signInNewAgent, signInNewOperator } from "../support/agents.ts";
import { createAgency, createOrder, createVendor, sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { assertAccessible, assertFits, deskTest, NARROW, signIn } from "./harness.ts";

deskTest(
  "an operator finds a lead while the vendor is on the telephone, and reads why it went where it is",
  async (page) => {
    const vendor = await createVendor();
    const { agency_id } = await createOrder(vendor);
    await sql`update public.recruiting_orders set states = '{TX}' where vendor_id = ${vendor.id}`;
    await sql`update public.agencies set name = 'Prairie Life' where id = ${agency_id}`;
    const phone = newPhone();
    const [lead] = await sql`
    insert into public.recruiting_leads
      (vendor_id, vendor_lead_id, first_name, vendor_metadata, distribution, request_id)
    values (${vendor.id}, ${"app-" + vendor.id}, 'Ada', ${sql.json({ phone, state: "OK", last_name: "Byron" })},
      'unmatched', ${"req-" + vendor.id})
    returning id`;
    const operator = await signInNewOperator();
    await signIn(page, operator, "operator/search");
    const search = page.getByRole("searchbox");
    for (const typed of [phone.slice(2), `app-${vendor.id}`, `req-${vendor.id}`, lead!.id]) {
      await search.fill(typed);
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("link", { name: "Ada Byron" }).waitFor();
    }
    await assertAccessible(page);
    await page.getByRole("link", { name: "Ada Byron" }).click();
    await page.getByRole("heading", { name: "Ada Byron" }).waitFor();
    await page.getByRole("region", { name: "The orders for such a lead" }).getByText("Prairie Life").first().waitFor();
    await page.getByRole("region", { name: "History" }).getByRole("listitem").first().waitFor();
    await assertAccessible(page);
    await page.setViewportSize(NARROW);
    await assertFits(page);
    const noted = await sql`
    select action, subject from public.operator_actions
    where user_id = ${operator.id} order by created_at`;
    assert.deepEqual(noted.at(-1)!.subject, { lead_id: lead!.id });
    const searches = noted.filter(({ action }) => action === "search_leads").map(({ subject }) => subject);
    assert.deepEqual(searches, [{ by: "phone" }, { by: "words" }, { by: "words" }, { by: "words" }]);

    await page.goBack();
    await search.fill("nobody of this name");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("Nothing is found for").waitFor();
  },
);

deskTest("an agent is refused the search of operators, in the page and by the service", async (page) => {
  const { id } = await createAgency();
  const agent = await signInNewAgent(id);
  await signIn(page, agent, "operator/search");
  await page.getByText("This part is for operators of the service.").waitFor();
  const { error } = await agent.client.rpc("begin_operator_action", {
    action: "search_leads",
    subject: { search: "a" },
  });
  assert.equal(error!.code, "42501");
});
