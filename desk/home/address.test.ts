import assert from "node:assert/strict";
import { listHref, listOf } from "./address.ts";

const ID = "00000000-0000-4000-8000-000000000001";

Deno.test("an address of Home names a list by its figure, and a day, a vendor or an order", () => {
  const none = { day: null, vendor_id: null, order_id: null };
  const lists = {
    "wrote": { ...none, figure: "wrote" },
    "leads/2026-11-01": { ...none, figure: "leads", day: "2026-11-01" },
    [`not_texted/days/${ID}`]: { ...none, figure: "not_texted", vendor_id: ID },
    [`order/${ID}`]: { ...none, figure: "leads", order_id: ID },
  };
  for (const [address, list] of Object.entries(lists)) {
    const [first, ...others] = address.split("/");
    assert.deepEqual(listOf(first!, ...others), list, address);
  }
  assert.equal(listHref("leads", 7, { vendor_id: ID }), `/home/leads/days/${ID}?days=7`);
});

Deno.test("any other address is of no list", () => {
  for (const address of ["nothing", "leads/2026-99-99", "leads/days/x", "wrote/2026-11-01", "order/x", "order"]) {
    const [first, ...others] = address.split("/");
    assert.equal(listOf(first!, ...others), null, address);
  }
});
