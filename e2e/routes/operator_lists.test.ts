/** What operators read and do by supabase-js, as it goes over the network. pgTAP proves the rest. */
import assert from "node:assert/strict";
import { signInNewOperator } from "../support/agents.ts";
import { createVendor, sql } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { actionsOf, operator } from "../support/operator.ts";

const { client } = operator;

Deno.test("open deliveries have all but their payloads", async () => {
  const vendor = await createVendor();
  const [id] = await reject({ vendor_id: vendor.id, payload: {} });
  const { data } = await client.from("delivery_list").select().eq("vendor_id", vendor.id);
  const { received_at, request_id: _, ...rest } = data![0];
  assert(Date.parse(received_at) > Date.now() - 600_000);
  assert.deepEqual(rest, {
    id,
    vendor: vendor.slug,
    vendor_id: vendor.id,
    route: "/recruiting/ingest",
    row: null,
    vendor_lead_id: null,
    code: "BAD_REQUEST",
    reason: "no name",
    status: "open",
    lead_id: null,
    resolved_at: null,
    payload_bytes: 100,
    payload_kept: "whole",
  });
});

Deno.test("rejected imports have no vendor", async () => {
  const [imported] = await reject({ vendor_id: null, route: "/api/leads/import", payload: {} });
  const { data } = await client.from("delivery_list").select("id, vendor").is("vendor_id", null)
    .order("received_at", { ascending: false });
  assert(data!.some(({ id }) => id === imported));
  assert.deepEqual([...new Set(data!.map(({ vendor }) => vendor))], ["import"]);
});

Deno.test("while others distribute leads, an operator is told so", async () => {
  const by = await signInNewOperator();
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
  const holding = sql.begin(async (other) => {
    await other`select pg_advisory_xact_lock(private.distribution_lock())`;
    hold();
    await held;
  });
  await isHeld;
  const { status, error } = await by.client.rpc("distribute_leads", { max: 1 });
  letGo();
  await holding;
  assert.deepEqual([status, error?.code], [409, "PT409"]);
  assert.match(error!.message, /^Others are distributing leads, or have locked them\./);
  assert.deepEqual(await actionsOf(by), [], "nothing was distributed");
});

Deno.test("the rule of a kind is changed by the numbers that it has", async () => {
  const set = (given: object) => client.rpc("set_alert_rule", { kind: "order_stalled", ...given });
  assert.match(
    (await set({ kind: "order_lost" })).error!.message,
    /^kind: "order_lost" is none; give one of: .*order_stalled/,
  );
  assert.match(
    (await set({ threshold: { days: "many" } })).error!.message,
    /^threshold: give each as a number above 0, up to 1,000,000$/,
  );
  assert.match(
    (await set({ threshold: { days: 2 } })).error!.message,
    /^threshold: "days" is none of this kind; it has: none$/,
  );
  assert.deepEqual((await set({})).data.is_on, true);
});
