/** Operators edit a mapping beside a payload and the lead that it makes of it. */
import assert from "node:assert/strict";
import type { Page, Route } from "playwright-core";
import { signInNewOperator, type User } from "../support/agents.ts";
import { createVendor, send, sql, type Vendor, withKey } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { actionsOf } from "../support/operator.ts";
import { assertAccessibleInDarkToo, assertFits, deskTest, PHONE, rendered, signIn, until } from "./harness.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

const MAPPING = { fields: { first_name: "person.nom" } };
const PAYLOAD = {
  person: { name: "Ada", last: "Byron", mobile: "(312) 555-0142" },
  campaign: { name: "summer" },
  licensed: "yes",
};
const GOOD = JSON.stringify(
  { fields: { first_name: "person.name", last_name: "person.last", phone: "person.mobile", source: "campaign.name" } },
  null,
  2,
);

/** A vendor whose mapping finds no first name, and a delivery that was rejected for it. */
async function vendorWithDelivery(): Promise<{ vendor: Vendor; id: string }> {
  const vendor = await createVendor("mapping", MAPPING);
  const [id] = await reject({ vendor_id: vendor.id, payload: PAYLOAD, vendor_lead_id: "app-7" });
  return { vendor, id: id! };
}

async function openMapping(page: Page, vendor: Vendor, delivery = ""): Promise<void> {
  await page.evaluate(`location.hash = "#/operator/mappings/${vendor.slug}/${delivery}"`);
  await page.getByRole("heading", { name: `Mapping of ${vendor.slug}` }).waitFor();
  await field(page).waitFor();
}

function field(page: Page) {
  return page.getByLabel("Mapping", { exact: true });
}

function lead(page: Page) {
  return page.getByRole("region", { name: "Lead" });
}

function show(page: Page): Promise<void> {
  return page.getByRole("button", { name: "Show" }).click();
}

async function savedFor({ id }: Vendor) {
  const [row] = await sql`select parser_config from public.vendors where id = ${id}`;
  return row!.parser_config;
}

deskTest(
  "an operator corrects a mapping beside a rejected delivery, sees its lead, saves it, and loses nothing",
  async (page) => {
    const { vendor, id } = await vendorWithDelivery();
    await sql`update public.vendors set name = ${`Jobs ${vendor.slug}`} where id = ${vendor.id}`;
    const operator = await signInNewOperator();
    await signIn(page, operator, "operator/deliveries");
    await page.getByRole("rowheader").getByRole("link", { name: `Jobs ${vendor.slug}` }).click();
    await page.getByRole("link", { name: "Edit the mapping" }).click();
    await field(page).waitFor();
    assert.deepEqual(JSON.parse(await field(page).inputValue()), MAPPING);
    await page.getByText("Show a payload to see what the mapping makes of it.").waitFor();
    await show(page);
    const payload = page.getByRole("region", { name: "What was sent" });
    assert.deepEqual(JSON.parse(await payload.innerText()), PAYLOAD);
    await page.getByText(`It would be refused: ${MISSING_FIRST_NAME}.`).waitFor();
    await lead(page).getByRole("cell", { name: "required, nothing at person.nom" }).waitFor();

    // What cannot be read is said beside the field, and nothing is saved or lost.
    const fault = '{"fields": {"first_name": "person["}}';
    const problem = page.locator('[id$="-problem"]');
    await field(page).fill(fault);
    await problem.getByText(/^fields\.first_name: Cannot read `person\[`/).waitFor();
    await page.getByText("There is no lead while the mapping cannot be read.").waitFor();
    assert.equal(await field(page).getAttribute("aria-invalid"), "true");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await problem.getByText(/^fields\.first_name: Cannot read `person\[`/).waitFor();
    assert.equal(await field(page).inputValue(), fault);

    await field(page).fill(GOOD);
    await page.getByText("It would be read as this lead.").waitFor();
    assert.equal(await problem.innerText(), "");
    for (const value of ["Ada", "Byron", "summer"]) {
      await lead(page).getByRole("definition").getByText(value, { exact: true }).waitFor();
    }
    await lead(page).getByRole("cell", { name: "(312) 555-0142 person.mobile" }).waitFor();
    await lead(page).getByRole("region", { name: "Kept as sent" }).getByText("licensed").waitFor();
    await page.getByText("Not saved yet.").waitFor();
    assert.deepEqual(await savedFor(vendor), MAPPING, "nothing is saved before it is asked for");
    assert.deepEqual(await actionsOf(operator), [["mapping try", { delivery_id: id }]], "one opening is one row");

    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved. It works within seconds.").waitFor();
    assert.deepEqual(await savedFor(vendor), JSON.parse(GOOD));
    assert.equal(await field(page).inputValue(), GOOD, "the text stays as it was typed");
    assert.equal(await page.getByRole("alert", { name: "Changed meanwhile" }).count(), 0);
    // What is not saved yet is tried on all deliveries of the reason.
    await reject({ vendor_id: vendor.id, payload: { person: { last: "Lee" } }, vendor_lead_id: "app-8" });
    await field(page).fill(JSON.stringify({ fields: { first_name: "person.last" } }));
    await page.getByRole("button", { name: "Dry run of all" }).click();
    await page.locator(".replay.is-good").getByText("New leads: 2.").waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("link", { name: "Replay the 2" }).click();
    await page.getByRole("button", { name: "Dry run of all" }).waitFor();
    await sql`delete from public.rejected_deliveries where vendor_id = ${vendor.id}`;
    await keepTyped(page, operator);
    await mapStoredLead(page);
  },
);

/** By keyboard: nothing that was typed is lost, whatever the network or another editor does. */
async function keepTyped(page: Page, operator: User): Promise<void> {
  const { vendor, id } = await vendorWithDelivery();
  await openMapping(page, vendor, id);
  await page.getByRole("button", { name: "Show" }).waitFor();
  await page.getByRole("link", { name: "All vendors" }).focus();
  const tab = async (name: string) => {
    await page.keyboard.press("Tab");
    const focused = page.locator(":focus");
    const isField = await focused.evaluate((element) => element.tagName === "TEXTAREA");
    assert.equal(isField ? "Mapping" : await focused.evaluate((e) => e.ariaLabel ?? e.textContent), name);
  };
  const mapped = (expression: string) => JSON.stringify({ fields: { first_name: expression } });
  const shows = (value: string) => lead(page).getByRole("definition").getByText(value, { exact: true });
  await tab("What it is tried on");
  await tab("Show");
  await page.keyboard.press("Enter");
  await page.getByText(`It would be refused: ${MISSING_FIRST_NAME}.`).waitFor();
  await tab("What was sent");
  await tab("Mapping");
  let requests = 0;
  page.on("request", (request) => requests += Number(request.url().endsWith("/mappings/preview")));
  await page.keyboard.press("Control+A");
  const [before, typed] = [mapped("person."), 'name"}}'];
  await page.keyboard.insertText(before.slice(0, before.indexOf("person.") + "person.".length));
  await page.keyboard.type(typed);
  await shows("Ada").waitFor();
  assert(requests <= 3, `${requests} requests for ${typed.length} keys`);
  await tab("Save");
  await page.keyboard.press("Enter");
  await page.getByText("Saved. It works within seconds.").waitFor();

  // The answer to the newest text is shown, whichever comes last.
  const { promise: older, resolve: letOlderGo } = Promise.withResolvers<void>();
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  await page.route("**/mappings/preview", async (route: Route) => {
    if (!route.request().postData()!.includes("person.mobile")) return await route.continue();
    isAsked();
    await older;
    // The page may have given it up.
    await route.continue().catch(() => {});
    answered.resolve();
  });
  await field(page).fill(mapped("person.mobile"));
  await asked;
  await field(page).fill(mapped("person.last"));
  await shows("Byron").waitFor();
  letOlderGo();
  await answered.promise;
  await rendered(page);
  await shows("Byron").waitFor();
  await page.unroute("**/mappings/preview");

  // What is typed while it is saved stays, and a save whose response is lost is done once more.
  let isLost = false;
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await page.route("**/desk/mappings", async (route) => {
    const response = await route.fetch();
    if (isLost) return await route.fulfill({ response });
    isLost = true;
    await held;
    await route.abort();
  });
  await field(page).fill(GOOD);
  // The key comes in the same task as the click: nothing is rendered between them.
  await page.evaluate(`
    const box = document.querySelector(".beside textarea");
    box.form.querySelector("button.primary").click();
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
    document.execCommand("insertText", false, "\\n");
  `);
  const saved = page.waitForResponse((response) => response.url().endsWith("/desk/mappings") && response.ok());
  letGo();
  await saved;
  assert.deepEqual(await savedFor(vendor), JSON.parse(GOOD));
  assert.equal(await field(page).inputValue(), `${GOOD}\n`, "only the blank line is not saved");
  await page.getByText("Not saved yet.").waitFor();
  await until(async () =>
    await page.getByRole("button", { name: "Save", exact: true }).getAttribute("aria-disabled") === "false"
  );
  assert.equal(await page.getByRole("alert", { name: "Changed meanwhile" }).count(), 0);
  await page.getByRole("button", { name: "Take back the changes" }).click();
  assert.equal(await field(page).inputValue(), GOOD);
  await page.getByText("Not saved yet.").waitFor({ state: "detached" });

  // Somebody else saves another one.
  const theirs = { fields: { first_name: "person.first" } };
  await sql`update public.vendors set parser_config = ${sql.json(theirs)} where id = ${vendor.id}`;
  await field(page).fill(mapped("person.last"));
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Somebody has changed it meanwhile.").waitFor();
  const conflict = page.getByRole("alert", { name: "Changed meanwhile" });
  await conflict.getByText("What you typed is still in the box.").waitFor();
  assert.equal(await field(page).inputValue(), mapped("person.last"));
  assert.deepEqual(await savedFor(vendor), theirs);
  await conflict.getByText("The mapping that is saved now").click();
  assert.deepEqual(JSON.parse(await conflict.getByRole("region", { name: "Saved mapping" }).innerText()), theirs);
  // What is read again is pale.
  await page.locator('[aria-busy="true"]').waitFor({ state: "detached" });
  await assertAccessibleInDarkToo(page);
  await conflict.getByRole("button", { name: "Go on with mine" }).click();
  await conflict.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved. It works within seconds.").waitFor();
  assert.deepEqual(await savedFor(vendor), JSON.parse(mapped("person.last")));

  // A payload that was opened long ago is opened again.
  await sql`update public.operator_actions set created_at = now() - interval '13 h' where user_id = ${operator.id}`;
  await field(page).fill(GOOD);
  await lead(page).getByText("The payload is not open any more. Show it again.").waitFor();
  await show(page);
  await page.getByText("It would be read as this lead.").waitFor();
  const tries = (await actionsOf(operator)).filter(([, subject]) => subject.delivery_id === id);
  assert.deepEqual(tries.map(([action]) => action), ["mapping try", "mapping try"]);

  // What was typed is there again after another page.
  await page.evaluate(`location.hash = "#/operator/jobs"`);
  await page.getByRole("heading", { level: 1, name: "Jobs" }).waitFor();
  await openMapping(page, vendor, id);
  assert.equal(await field(page).inputValue(), GOOD);
  await page.getByText("Not saved yet.").waitFor();
}

/** On a phone, by a stored lead: what nobody has read of it becomes a field. */
async function mapStoredLead(page: Page): Promise<void> {
  await page.setViewportSize(PHONE.viewport!);
  const vendor = await createVendor("mapping", { fields: { first_name: "name" } });
  await send("/recruiting/ingest", {
    headers: withKey(vendor),
    body: { name: "Ada", note: "x".repeat(300), utm: { campaign_of_the_year: "summer" } },
  });
  await openMapping(page, vendor);
  await show(page);
  await field(page).fill('{"fields": {"first_name": "name", "campaign": "utm.campaign_of_the_year"}}');
  await lead(page).getByRole("definition").getByText("summer", { exact: true }).waitFor();
  await assertFits(page);
}
