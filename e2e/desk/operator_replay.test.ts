/** Operators look into rejected deliveries, and replay or dismiss them. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { signInNewOperator } from "../support/agents.ts";
import { createOrder, createVendor, sql, storedLeads, type Vendor } from "../support/client.ts";
import { reject, type Rejection } from "../support/deliveries.ts";
import { actionsOf } from "../support/operator.ts";
import { assertAccessibleInDarkToo, assertFits, deskTest, PHONE, signIn } from "./harness.ts";
import { wake } from "./tokens.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

const REASON = "no name, or 100% of name/s?";

/** A vendor with open deliveries. What rejected them is put right since. */
async function vendorWith(...rejections: Rejection[]): Promise<{ vendor: Vendor; ids: string[] }> {
  const vendor = await createVendor();
  const ids = await reject(...rejections.map((given) => ({ vendor_id: vendor.id, reason: REASON, ...given })));
  return { vendor, ids };
}

/** A vendor with so many open deliveries of different leads, the oldest first; `payload` says what each has. */
async function vendorWithMany(count: number, payload: (n: number) => object): Promise<Vendor> {
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

async function confirm(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).first().click();
  await page.getByRole("dialog").getByRole("button", { name }).click();
}

deskTest(
  "a delivery that is found is read as text, tried and replayed; many are replayed, none twice, or dismissed",
  async (page) => {
    const script = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
    const answers = { "are_you_licensed_in_life_and_health?": "Yes".repeat(50) };
    const vendor_lead_id = `lost-${crypto.randomUUID()}`;
    const payload = { note: script, answers, first_name: "Ada", vendor_lead_id };
    const { vendor, ids: [id] } = await vendorWith(
      { vendor_lead_id, payload },
      { payload_text: "<lead>", vendor_lead_id: "cut" },
    );
    await createOrder(vendor);
    const operator = await signInNewOperator();
    await signIn(page, operator, "operator/search");
    await page.getByRole("searchbox").fill(vendor_lead_id);
    await page.locator("#main").getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: vendor_lead_id }).first().click();
    await page.getByRole("heading", { name: `Rejected delivery of ${vendor.slug}` }).waitFor();
    await page.getByText(REASON).first().waitFor();

    await page.getByRole("button", { name: "Show the payload" }).click();
    await page.getByRole("dialog").getByText("Reading it is noted with your name.").waitFor();
    const shown = async () => (await actionsOf(operator)).filter(([action]) => action === "delivery show");
    assert.deepEqual(await shown(), []);
    await page.getByRole("dialog").getByRole("button", { name: "Show the payload" }).click();
    const region = page.getByRole("region", { name: "Payload" });
    assert.equal(await region.innerText(), JSON.stringify(payload, null, 4));
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.notEqual(await page.title(), "run");
    assert.deepEqual(await shown(), [["delivery show", { delivery_id: id }]]);

    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText("A replay would store this lead, and distribute it:").waitFor();
    await page.getByRole("definition").getByText("Ada", { exact: true }).waitFor();
    await assertFits(page);
    await assertAccessibleInDarkToo(page);
    assert.deepEqual([(await storedLeads(vendor)).length, await openCount(vendor)], [0, 2]);

    // Of what is kept in part the beginning is shown, and it is called so.
    await page.getByRole("link", { name: "All deliveries of this reason" }).click();
    const cut = page.locator(".delivery").filter({ hasText: "cut" });
    await cut.getByRole("button", { name: "Show the payload" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Show the payload" }).click();
    await page.getByText("The beginning of what was sent. The rest is not kept:").waitFor();
    assert.equal(await region.innerText(), "<lead>");
    // One that is still refused says why beside it, and stays.
    await cut.getByRole("button", { name: "Replay", exact: true }).click();
    await cut.getByText("It is still refused").waitFor();
    await assertFits(page);

    await page.goBack();
    await page.getByRole("button", { name: "Replay" }).click();
    await page.getByText("Replayed. Its lead is stored and distributed.").waitFor();
    const [lead, ...others] = await storedLeads(vendor);
    assert.deepEqual([lead!.id, lead!.first_name, lead!.received_via, others.length], [id, "Ada", "replay", 0]);
    assert.equal(await openCount(vendor), 1);
    await page.getByRole("link", { name: "See the lead" }).click();
    await page.getByRole("heading", { name: "Ada" }).waitFor();
    await replayMany(page);
  },
  PHONE,
);

/** Many are replayed: stopped after a batch, on after a lost connection, none stored twice, and the rest dismissed. */
async function replayMany(page: Page): Promise<void> {
  const vendor = await vendorWithMany(120, (n) => n % 100 === 7 ? {} : { first_name: `Ada ${n}` });
  await page.evaluate(`location.hash = "#/operator/deliveries"`);
  await page.getByRole("row").filter({ hasText: vendor.slug }).getByRole("rowheader").getByRole("link").click();

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
    const [tried, rest] = [delivery_ids.slice(0, 9), delivery_ids.slice(9)];
    const response = await route.fetch({ postData: JSON.stringify({ delivery_ids: tried, dry_run }) });
    const { results } = await response.json();
    notTried = rest.length;
    const others = rest.map((delivery_id: string) => ({ delivery_id, status: "not_tried" }));
    await route.fulfill({ response, json: { dry_run, results: [...results, ...others] } });
  });
  await confirm(page, "Replay all 120");
  await page.getByText("Replaying: 0 of 120").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  letGo();
  await page.getByText("Stopped: 100 of 120").waitFor();
  assert.equal((await storedLeads(vendor)).length, 99);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText("No connection. Check your network and try again.").waitFor();
  await page.getByText("Stopped: 100 of 120").waitFor();
  assert.equal((await storedLeads(vendor)).length, 118);

  isLost = false;
  await page.getByRole("button", { name: "Try again" }).click();
  const summary =
    "Replayed 120. New leads: 99. Leads that had come meanwhile: 0. Already replayed: 19. Still refused: 2.";
  await page.getByText(summary).waitFor();
  assert.equal(notTried, 11);
  const leads = await storedLeads(vendor);
  assert.deepEqual([leads.length, new Set(leads.map(({ vendor_lead_id }) => vendor_lead_id)).size], [118, 118]);
  await page.getByText(`2: ${MISSING_FIRST_NAME}`).waitFor();

  // The list is read again. One that is left is dismissed alone, and then all.
  await page.getByRole("button", { name: "Replay all 2" }).waitFor();
  const row = (vendor_lead_id: string) =>
    page.locator(".delivery").filter({ has: page.getByText(vendor_lead_id, { exact: true }) });
  await row("7").getByRole("button", { name: "Dismiss" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Dismiss" }).click();
  await page.getByText("Dismissed: 1.").waitFor();
  await row("7").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Dismiss all" }).click();
  // The question does not count one that comes now, although the page reads it.
  await reject({ vendor_id: vendor.id, reason: REASON, payload: {}, vendor_lead_id: "new" });
  await wake(page);
  await page.locator("button", { hasText: "Replay all 2" }).first().waitFor();
  await page.getByRole("dialog").getByText("No lead is made of any of these 1 deliveries.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Dismiss all" }).click();
  await row("107").waitFor({ state: "detached" });
  await row("new").waitFor();
  assert.equal(await openCount(vendor), 1);
}
