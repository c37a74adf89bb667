/** Notifications are pushed to agents' browsers, encrypted, by a push service that decrypts them. */
import assert from "node:assert/strict";
import { PushService } from "../../dev/testing/push_service.ts";
import { adminJson } from "../support/admin.ts";
import { signInNewAgent } from "../support/agents.ts";
import { createAgency, sql } from "../support/client.ts";
import { createLeads, workWith } from "./dispatches.ts";

const service = await PushService.start();
Deno.test.afterAll(() => service.stop());
Deno.test.beforeEach(async () => {
  service.statuses.length = 0;
  await sql`delete from public.push_subscriptions`;
});

const keys = await adminJson("push keys --subject mailto:ops@example.com");
const work = (settings = keys) => workWith({ ALLOW_LOCAL_DESTINATIONS: "on", ...settings });

/** An agent with a recruit and this number of browsers that have subscribed. */
async function createSubscribed(browsers = 1) {
  const { id: agency_id } = await createAgency();
  const agent = await signInNewAgent(agency_id);
  const [lead_id] = await createLeads({ agency_id });
  const subscriptions = Array.from({ length: browsers }, () => service.subscribe());
  for (const subscription of subscriptions) {
    assert.equal((await agent.client.rpc("save_push_subscription", subscription)).error, null);
  }
  const notify = async () => {
    const [notification] = await sql`
      insert into public.agent_notifications (agent_id, lead_id, kind)
      values (${agent.agent_id}, ${lead_id!}, 'lead') returning id`;
    return notification!.id as string;
  };
  return { ...agent, lead_id, subscriptions, notify };
}

/** The dispatches of an agent's browsers. */
const dispatchesOf = ({ agent_id }: { agent_id: string }) =>
  sql`
    select p.state, p.status, p.attempt from private.dispatches p join public.destinations d on d.id = p.destination_id
    where d.agent_id = ${agent_id} order by p.seq`;

const setDispatches = ({ agent_id }: { agent_id: string }, change: { attempt?: number; due_at?: Date }) =>
  sql`
    update private.dispatches p set ${sql(change)} from public.destinations d
    where d.id = p.destination_id and d.agent_id = ${agent_id}`;

Deno.test("a notification reaches each browser of its agent once, encrypted, with the first name alone", async () => {
  const agent = await createSubscribed(2);
  const notification_id = await agent.notify();
  await work({ VAPID_PRIVATE_KEY: "" });
  assert.deepEqual((await dispatchesOf(agent)).map(({ state, attempt }) => [state, attempt]), [
    ["waiting", 0],
    ["waiting", 0],
  ], "without keys nothing is sent");
  await work();
  await work();
  for (const subscription of agent.subscriptions) {
    const [push, ...others] = service.pushesTo(subscription);
    assert.deepEqual(others, []);
    const { lead_id } = agent;
    assert.deepEqual(push!.data, {
      ...{ notification_id, kind: "lead", urgent: false, conversation_id: null, lead_id, first_name: "Lead 1" },
    });
    const { ttl, urgency, "content-encoding": encoding } = push!.headers;
    assert.deepEqual([ttl, urgency, encoding], ["14400", "normal", "aes128gcm"]);
    assert.equal(push!.claims.sub, "mailto:ops@example.com");
    assert.equal(push!.claims.aud, service.url.replace("http:", "https:"));
  }
  assert.deepEqual((await dispatchesOf(agent)).map(({ state }) => state), ["delivered", "delivered"]);

  await agent.notify();
  const { endpoint } = agent.subscriptions[0]!;
  assert.equal((await agent.client.rpc("remove_push_subscription", { endpoint })).data, true);
  await work();
  assert.deepEqual(
    agent.subscriptions.map((one) => service.pushesTo(one).length),
    [1, 2],
    "after a sign-out nothing waits",
  );
});

Deno.test("a browser that the push service refuses with 404 or 410 is removed, and a push that fails is sent again", async () => {
  const agent = await createSubscribed(3);
  await agent.notify();
  service.statuses.push(404, 410, 503);
  // The pause after a second attempt is longer than a run of the worker.
  await setDispatches(agent, { attempt: 1 });
  await work();
  await setDispatches(agent, { due_at: new Date() });
  await work();
  const pushes = agent.subscriptions.map((subscription) => service.pushesTo(subscription).length);
  assert.deepEqual(pushes.toSorted(), [1, 1, 2]);
  assert.equal((await agent.client.from("push_subscriptions").select("id")).data!.length, 1);
  assert.deepEqual([...await dispatchesOf(agent)], [{ state: "delivered", status: 201, attempt: 3 }]);
});
