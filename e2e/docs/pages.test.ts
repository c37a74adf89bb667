import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { sql } from "../support/client.ts";
import { assertLike, examplesIn, paste, readPage, ROOT, variables } from "../support/docs.ts";

/** Removes the rows that the commands make, so that they can be run again. */
async function removeWhatCommandsMake(): Promise<void> {
  await sql`delete from public.recruiting_leads where vendor_lead_id like 'readme-%'`;
  await sql`delete from public.recruiting_messages where body = 'It is. When could we talk?'`;
  await sql`delete from public.leads where external_id = '11111111-1111-4111-8111-111111111111'`;
  const agencies = sql`select id from public.agencies where name = 'Prairie Life'`;
  await sql`delete from public.recruiting_orders where agency_id in (${agencies})`;
  await sql`delete from public.agents where agency_id in (${agencies})`;
  await sql`delete from public.agencies where name = 'Prairie Life'`;
  await sql`delete from public.vendors where slug in ('acme', 'fair')`;
}

for (const page of ["README.md", "docs/vendors.md", "docs/parsers.md", "docs/frontend.md"]) {
  Deno.test(`every command in ${page} does what it says`, async (t) => {
    // Inside the checkout, because npm looks for package.json upwards.
    const folder = await Deno.makeTempDir({ dir: fileURLToPath(ROOT), prefix: ".local-docs-" });
    await Deno.symlink(fileURLToPath(new URL("docs", ROOT)), `${folder}/docs`);
    await removeWhatCommandsMake();
    try {
      const env = await variables(folder);
      const examples = examplesIn(readPage(page));
      assert(examples.length > 0);
      for (const { command, output } of examples) {
        await t.step(command.split("\n", 1)[0]!, async () => {
          const printed = await paste(command, folder, env);
          if (output !== undefined) assertLike(JSON.parse(printed), output);
        });
      }
    } finally {
      await removeWhatCommandsMake();
      await Deno.remove(folder, { recursive: true });
    }
  });
}
