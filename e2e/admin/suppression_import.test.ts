/** `npm run admin -- suppression import` with a file as states and list brokers send it. */
import assert from "node:assert/strict";
import { adminJson } from "../support/admin.ts";
import { sql } from "../support/client.ts";

Deno.test("a file of 100,000 people is imported, and again it changes nothing", async () => {
  const folder = await Deno.makeTempDir();
  const file = `${folder}/list of ${crypto.randomUUID()}.csv`;
  const rows = Array.from(
    { length: 100_000 },
    (_, i) =>
      i % 2 === 0
        ? `907-${200 + Math.floor(i / 10_000)}-${String(i % 10_000).padStart(4, "0")},`
        : `,person${i}@list.example`,
  );
  await Deno.writeTextFile(file, `phone,email\r\n${rows.join("\r\n")}\r\n`);
  try {
    const counts = { dry_run: false, rows: 100_000, extended: 0, refused: [] };
    const importIt = () => adminJson(`suppression import "${file}" --reason "state list"`);
    assert.deepEqual(await importIt(), { ...counts, added: 100_000, unchanged: 0 });
    assert.deepEqual(await importIt(), { ...counts, added: 0, unchanged: 100_000 });
  } finally {
    await sql`delete from public.suppressions where source like 'list of %'`;
    await Deno.remove(folder, { recursive: true });
  }
});
