/** The response to a change of an order. Who may change what is in supabase/tests/operators/change_order.test.sql. */
import assert from "node:assert/strict";
import { signInNewAgent } from "../support/agents.ts";
import { createOrder, createVendor } from "../support/client.ts";
import { operator } from "../support/operator.ts";

Deno.test("a manager and an operator change an order, and are given it as it is now", async () => {
  const order = await createOrder(await createVendor(), { quantity: 10 });
  const manager = await signInNewAgent(order.agency_id, "manager");
  const order_id = order.id;
  const changes = { daily_cap: 5, states: ["TX", "OK"] };
  const changed = await manager.client.rpc("change_order", {
    order_id,
    changes,
    seen: { daily_cap: null, states: null },
  });
  assert.deepEqual({ ...changed.data, ...changes }, changed.data);
  assert.equal(changed.data.id, order_id);

  const resize = { order_id, changes: { quantity: 20 } };
  const { data } = await operator.client.rpc("change_order", resize);
  assert.deepEqual([data.quantity, data.daily_cap, data.status], [20, 5, "open"]);

  const stale = await operator.client.rpc("change_order", {
    order_id,
    changes: { quantity: 30 },
    seen: { quantity: 10 },
  });
  assert.deepEqual(
    [stale.status, stale.error?.code, stale.error?.message],
    [409, "PT409", "quantity: somebody has changed it meanwhile"],
  );
  const refused = await manager.client.rpc("change_order", resize);
  assert.deepEqual(
    [refused.status, refused.error?.code, refused.error?.message],
    [400, "22023", "quantity: is not for managers to change"],
  );
});
