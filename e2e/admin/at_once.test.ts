/** Commands of several operators at once, and beside leads that come. */
import assert from "node:assert/strict";
import { DISTRIBUTION_LOCK, whileHeld } from "../../dev/testing/faults/database.ts";
import { admin, adminJson } from "../support/admin.ts";
import { createAgency, createOrder, createVendor, storedLeads } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { eventually } from "../support/processes.ts";

Deno.test("of two who make the same at once, one is refused", async () => {
  const line = `agency create --name "Agency ${crypto.randomUUID()}" --timezone UTC`;
  const codes = (await Promise.all([1, 2, 3].map(() => admin(line)))).map(({ code }) => code);
  assert.deepEqual(codes.toSorted(), [0, 1, 1]);
});

Deno.test("of an agency's last two agents, who are switched off at once, one stays", async () => {
  const { agent_ids } = await createAgency(2);
  const both = await Promise.all(agent_ids.map((id) => admin(`agent update ${id} --active false`)));
  assert.equal(both.filter(({ code }) => code === 0).length, 1);
  const last = agent_ids[both[0]!.code === 0 ? 1 : 0];
  const { code, err } = await admin(`agent update ${last} --active false`);
  assert.equal(code, 2);
  assert.match(err, /^Agent \d is the agency's last active agent: /);
});

Deno.test("a replay waits for its turn while other leads are distributed", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const [id] = await reject({ vendor_id: vendor.id, payload: { first_name: "Ida" } });
  let replayed: ReturnType<typeof adminJson> | undefined;
  await whileHeld(DISTRIBUTION_LOCK, async () => {
    replayed = adminJson(`delivery replay ${id!}`);
    await eventually(10, async () => assert.equal((await storedLeads(vendor)).length, 1));
    assert.equal((await storedLeads(vendor))[0]!.distribution, "pending");
  });
  assert.equal((await replayed!).distributed_to.agency_id, order.agency_id);
});
