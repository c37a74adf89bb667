/** Every command on these pages does what the page says. */
import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { testPage } from "../support/docs.ts";

/** Removes the rows that the commands make, so that they can be run again. */
async function removeWhatCommandsMake(): Promise<void> {
  await sql`delete from public.recruiting_leads where vendor_lead_id like 'readme-%'`;
  await sql`delete from public.recruiting_messages where body = 'Only your license number.'`;
  await sql`delete from public.leads where external_id = '11111111-1111-4111-8111-111111111111'`;
  const agencies = sql`select id from public.agencies where name = 'Prairie Life'`;
  await sql`delete from public.recruiting_orders where agency_id in (${agencies})`;
  await sql`delete from public.agents where agency_id in (${agencies})`;
  await sql`delete from public.agencies where name = 'Prairie Life'`;
  await sql`delete from public.vendors where slug in ('acme', 'fair')`;
}

for (const page of ["README.md", "docs/vendors.md", "docs/parsers.md", "docs/frontend.md"]) {
  testPage(page, { clean: removeWhatCommandsMake });
}

testPage("docs/bot.md", {
  after: {
    "Try a script": (printed) => {
      assert.match(printed, /Thank you, Ada!.*The script is over: done\./s);
      assert.match(printed, /Published version \d+ for Lakeshore.*is off/s);
    },
  },
});
