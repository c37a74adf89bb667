/** The tables of docs/vendors.md, against the code that they describe. */
import assert from "node:assert/strict";
import { STATUS_OF_CODE } from "../supabase/functions/_shared/errors.ts";

const PAGE = Deno.readTextFileSync(new URL("vendors.md", import.meta.url));

Deno.test("docs/vendors.md has every error code that a vendor may get, with its status", () => {
  const rows = PAGE.matchAll(/^\| ([\d, ]+) \| (`[A-Z_`, ]+`) /gm);
  const listed = Array.from(rows, ([, statuses, codes]) => {
    const all = codes!.match(/\w+/g)!;
    return statuses!.match(/\d+/g)!.map((status, n) => [all[n], Number(status)] as const);
  }).flat();
  const { FORBIDDEN: _, ...ofVendors } = STATUS_OF_CODE;
  assert.deepEqual(Object.fromEntries(listed), ofVendors);
});
