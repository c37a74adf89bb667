/** Operators look into rejected deliveries, and replay them. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator, type User } from "../support/agents.ts";
import { createOrder, createVendor, sql, storedLeads, type Vendor } from "../support/client.ts";
import { reject, type Rejection } from "../support/deliveries.ts";
import { assertAccessible, assertFits, deskTest, PHONE, signIn, until } from "./harness.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

const REASON = "no name, or 100% of name/s?";

/** A vendor with open deliveries. What rejected them is put right since. */
async function vendorWith(...rejections: Rejection[]): Promise<{ vendor: Vendor; ids: string[] }> {
  const vendor = await createVendor();
  const ids = await reject(...rejections.map((given) => ({ vendor_id: vendor.id, reason: REASON, ...given })));
  return { vendor, ids };
}

/** A vendor with so many open deliveries of different leads, the oldest first; `payload` says what each has. */
async function vendorWithMany(count: number, payload = (n: number): object => ({ first_name: `Ada ${n}` })) {
  const { vendor } = await vendorWith();
  const rows = Array.from({ length: count }, (_, n) => ({ ...payload(n), vendor_lead_id: String(n) }));
  await sql`
    insert into public.rejected_deliveries
      (request_id, route, vendor_id, vendor_lead_id, code, reason, payload, payload_bytes, received_at)
    select 'test', '/recruiting/ingest', ${vendor.id}, lead ->> 'vendor_lead_id', 'BAD_REQUEST', ${REASON}, lead, 40,
      now() - (${count} - n) / 2 * interval '1 s'
    from jsonb_array_elements(${JSON.stringify(rows)}::text::jsonb) with ordinality l (lead, n)`;
  return vendor;
}

async function openCount(vendor: Vendor): Promise<number> {
  const rows = await sql`
    select id from public.rejected_deliveries where vendor_id = ${vendor.id} and status = 'open'`;
  return rows.length;
}

async function actionsOf({ id }: User) {
  const rows = await sql`
    select action, subject from public.operator_actions where user_id = ${id} order by created_at, id`;
  return rows.map(({ action, subject }) => [action, subject]);
}

/** Opens the deliveries of a vendor as a new operator. */
async function openGroup(page: Page, vendor: Vendor): Promise<User> {
  const operator = await signInNewOperator();
  await signIn(page, operator, "operator/deliveries");
  await page.getByRole("row").filter({ hasText: vendor.slug }).getByRole("rowheader").getByRole("link").click();
  await page.getByRole("heading", { name: `Rejected deliveries of ${vendor.slug}` }).waitFor();
  return operator;
}

function replayAll(page: Page, count: number): Promise<void> {
  return confirm(page, `Replay all ${count}`);
}

async function confirm(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).first().click();
  await page.getByRole("dialog").getByRole("button", { name }).click();
}

deskTest("a delivery that is found is tried and replayed, and leads to its lead", async (page) => {
  const vendor_lead_id = `lost-${crypto.randomUUID()}`;
  const payload = { first_name: "Ada", vendor_lead_id };
  const { vendor, ids: [id] } = await vendorWith({ vendor_lead_id, payload }, { payload: { last_name: "Nobody" } });
  await createOrder(vendor);
  await signIn(page, await signInNewOperator(), "operator/search");
  await page.getByRole("searchbox").fill(vendor_lead_id);
  await page.locator("#main").getByRole("button", { name: "Search" }).click();
  await page.getByRole("link", { name: vendor_lead_id }).first().click();
  await page.getByRole("heading", { name: `Rejected delivery of ${vendor.slug}` }).waitFor();
  await page.getByText(REASON).first().waitFor();
  assert.equal(await page.locator(".delivery").count(), 1);
  await assertAccessible(page);
  await page.getByRole("link", { name: "All deliveries of this reason" }).click();
  await page.locator(".delivery").nth(1).waitFor();
  // One that is still refused says why beside it, and stays.
  const refused = page.locator(".delivery").filter({ hasNotText: vendor_lead_id });
  await refused.getByRole("button", { name: "Dry run", exact: true }).click();
  await page.getByText(`It would still be refused: ${MISSING_FIRST_NAME}.`).waitFor();
  await refused.getByRole("button", { name: "Replay", exact: true }).click();
  await page.getByText(`It is still refused: ${MISSING_FIRST_NAME}.`).waitFor();
  assert.equal(await openCount(vendor), 2);
  await page.goBack();
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByText("A replay would store this lead, and distribute it:").waitFor();
  await page.getByRole("definition").getByText("Ada", { exact: true }).waitFor();
  assert.deepEqual([(await storedLeads(vendor)).length, await openCount(vendor)], [0, 2]);
  await page.getByRole("button", { name: "Replay" }).click();
  await page.getByText("Replayed. Its lead is stored and distributed.").waitFor();
  const [lead, ...others] = await storedLeads(vendor);
  assert.deepEqual([lead!.id, lead!.first_name, lead!.received_via, others.length], [id, "Ada", "replay", 0]);
  assert.equal(await openCount(vendor), 1);
  await page.getByRole("link", { name: "See the lead" }).click();
  await page.getByRole("heading", { name: "Ada" }).waitFor();
  await page.evaluate(`location.hash = "#/operator/deliveries/no-id"`);
  await page.getByText("There is no such delivery.").waitFor();
});

deskTest("a payload is shown once the operator agrees, as text, and who read it is kept", async (page) => {
  const script = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
  const answers = { "are_you_licensed_in_life_and_health?": "Yes".repeat(50) };
  const { vendor, ids: [, id] } = await vendorWith(
    { payload_text: "<lead>", vendor_lead_id: "cut" },
    { payload: { note: script, answers, first_name: "Ada" }, vendor_lead_id: "whole" },
  );
  const operator = await openGroup(page, vendor);
  const whole = page.locator(".delivery").filter({ hasText: "whole" });
  await whole.getByRole("button", { name: "Dry run", exact: true }).click();
  await page.getByRole("definition").first().waitFor();
  await whole.getByRole("button", { name: "Show the payload" }).click();
  await page.getByRole("dialog").getByText("Reading it is noted with your name.").waitFor();
  await assertFits(page);
  await page.getByRole("button", { name: "Cancel" }).click();
  const shown = async () => (await actionsOf(operator)).filter(([action]) => action === "delivery show");
  assert.deepEqual(await shown(), []);
  await whole.getByRole("button", { name: "Show the payload" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Show the payload" }).click();
  const payload = page.getByRole("region", { name: "Payload" });
  assert.equal(await payload.innerText(), JSON.stringify({ note: script, answers, first_name: "Ada" }, null, 4));
  assert.equal(await page.locator("main img, main script").count(), 0);
  assert.notEqual(await page.title(), "run");
  assert.deepEqual(await shown(), [["delivery show", { delivery_id: id }]]);
  await assertFits(page);
  await assertAccessible(page);
  await page.getByRole("button", { name: "Hide the payload" }).click();
  await payload.waitFor({ state: "detached" });

  // Of what is kept in part the beginning is shown, and it is called so.
  const cut = page.locator(".delivery").filter({ hasText: "cut" });
  await cut.getByRole("button", { name: "Show the payload" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Show the payload" }).click();
  await page.getByText("The beginning of what was sent. The rest is not kept:").waitFor();
  assert.equal(await payload.innerText(), "<lead>");

  // Another operator is faster.
  await sql`select public.replay_delivery(${id!}, '{"first_name": "Ada", "vendor_metadata": {}}')`;
  await whole.getByRole("button", { name: "Replay", exact: true }).click();
  await page.getByText("It was already replayed. Nothing more was stored.").waitFor();
  assert.equal((await storedLeads(vendor)).length, 1);
}, PHONE);

deskTest(
  "a replay of many is stopped after its batch, goes on after a lost connection, and stores nothing twice",
  async (page) => {
    const vendor = await vendorWithMany(230, (n) => n % 100 === 7 ? {} : { first_name: `Ada ${n}` });
    await openGroup(page, vendor);
    await page.getByRole("button", { name: "Show more" }).click();
    await page.locator(".delivery").nth(99).waitFor();
    const stored = await sql`
      select vendor_lead_id from public.rejected_deliveries where vendor_id = ${vendor.id}
      order by received_at desc, id desc limit 100`;
    assert.deepEqual(
      await page.locator(".delivery strong").allInnerTexts(),
      stored.map(({ vendor_lead_id }) => vendor_lead_id),
    );
    await page.getByRole("button", { name: "Dry run of all" }).click();
    await page.getByText("Nothing is stored by this dry run of 230. New leads: 227.").waitFor();
    await page.getByRole("list", { name: "Still refused" }).getByText(`3: ${MISSING_FIRST_NAME}`).waitFor();
    await page.getByRole("button", { name: "Replay the 227" }).waitFor();
    await page.reload();
    assert.deepEqual([(await storedLeads(vendor)).length, await openCount(vendor)], [0, 230]);

    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    let batches = 0;
    let isLost = false;
    let notTried = 0;
    await page.route("**/deliveries/replay", async (route) => {
      batches += 1;
      await held;
      // The second batch is stored, and its response is lost.
      if (batches === 2) {
        await route.fetch();
        isLost = true;
      }
      if (isLost) return await route.abort();
      if (batches === 1 || notTried > 0) return await route.continue();
      // For the others of a batch there was no time.
      const { delivery_ids, dry_run } = route.request().postDataJSON();
      const [tried, rest] = [delivery_ids.slice(0, 45), delivery_ids.slice(45)];
      const response = await route.fetch({ postData: JSON.stringify({ delivery_ids: tried, dry_run }) });
      const { results } = await response.json();
      notTried = rest.length;
      const others = rest.map((delivery_id: string) => ({ delivery_id, status: "not_tried" }));
      await route.fulfill({ response, json: { dry_run, results: [...results, ...others] } });
    });
    await replayAll(page, 230);
    await page.getByText("Replaying: 0 of 230").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    letGo();
    await page.getByText("Stopped: 100 of 230").waitFor();
    assert.equal((await storedLeads(vendor)).length, 99);
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("No connection. Check your network and try again.").waitFor();
    await page.getByText("Stopped: 100 of 230").waitFor();
    assert.equal((await storedLeads(vendor)).length, 198);
    await assertAccessible(page);
    await page.setViewportSize(PHONE.viewport!);
    await assertFits(page);

    isLost = false;
    await page.getByRole("button", { name: "Try again" }).click();
    const summary =
      "Replayed 230. New leads: 128. Leads that had come meanwhile: 0. Already replayed: 99. Still refused: 3.";
    await page.getByText(summary).waitFor();
    assert(notTried > 0);
    const leads = await storedLeads(vendor);
    assert.deepEqual([leads.length, new Set(leads.map(({ vendor_lead_id }) => vendor_lead_id)).size], [227, 227]);
    await page.getByText(`3: ${MISSING_FIRST_NAME}`).waitFor();
    // The lists are read again.
    await page.getByRole("button", { name: "Replay all 3" }).waitFor();
    await until(async () => await page.locator(".delivery").count() === 3);
  },
);
