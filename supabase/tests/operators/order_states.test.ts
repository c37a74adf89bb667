import assert from "node:assert/strict";
import { STATES } from "../../functions/_shared/states.ts";

Deno.test("the states that a manager may name for an order are those that leads have", () => {
  const sql = Deno.readTextFileSync("supabase/schemas/operators/change_order.sql");
  const [, listed] = /all \(regexp_split_to_array\(\s*'([^']+)'/.exec(sql)!;
  assert.deepEqual(listed!.split(/\s+/), [...new Set(STATES.map(({ code }) => code))]);
});
