/** Notifications over Realtime, with supabase-js itself. */
import assert from "node:assert/strict";
import { sign } from "hono/jwt";
import { browserClient, signInNewAgent } from "../support/agents.ts";
import { sql, stack } from "../support/client.ts";
import {
  awaitEvents,
  awaitStatus,
  createEscalated,
  openTab,
  realtimeTest,
  subscribe,
  until,
} from "../support/realtime.ts";
import { newSid, receive } from "../support/sms.ts";

/** A token of a user as auth signs it. */
function tokenOf(user_id: string, seconds: number, secret = stack.jwt_secret): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + seconds;
  return sign({ sub: user_id, role: "authenticated", aud: "authenticated", exp }, secret, "HS256");
}

async function userId(agent_id: string): Promise<string> {
  const [agent] = await sql`select user_id from public.agents where id = ${agent_id}`;
  return agent!.user_id;
}

realtimeTest(
  "a text to an escalated conversation is one event for each tab of its agent, with ids alone",
  async (use) => {
    const agent = await createEscalated();
    const tabs = await Promise.all(["1.0.0", "2.0.0", "2.0.0"].map(async (vsn) => {
      const client = use(await openTab(agent, { vsn }));
      return { client, subscription: await subscribe(client, agent.topic) };
    }));
    const MessageSid = newSid();
    const Body = "Call me on Monday";
    // Twilio may send a text twice.
    await receive(agent.conversation, { MessageSid, Body });
    await receive(agent.conversation, { MessageSid, Body });
    // The event after it shows that nothing else came before.
    await receive(agent.conversation);

    for (const { client, subscription } of tabs) {
      const events = await awaitEvents(subscription, 2);
      const { data: rows } = await client.from("agent_notifications")
        .select("id, conversation_id, message_id, lead_id, kind")
        .order("created_at")
        .throwOnError();
      assert.deepEqual(events, rows);
      assert.deepEqual(rows!.map(({ kind }) => kind), ["text", "text"]);
    }
  },
);

realtimeTest(
  "what changes in a conversation is told to its agent and its agency's managers, by its id alone",
  async (use) => {
    const agent = await createEscalated();
    const manager = await signInNewAgent(agent.agency_id, "manager");
    const [hers, agencys] = await Promise.all([
      subscribe(use(await openTab(agent)), agent.topic, { private: true }, "changed"),
      subscribe(use(manager.client), `agency:${agent.agency_id}`, { private: true }, "changed"),
    ]);
    await receive(agent.conversation);
    await agent.client.rpc("no_reply_needed", { conversation_id: agent.conversation.id }).throwOnError();
    for (const subscription of [hers, agencys]) {
      for (const { id: _, ...event } of await awaitEvents(subscription, 2)) {
        assert.deepEqual(event, { conversation_id: agent.conversation.id });
      }
    }
  },
);

realtimeTest("a user who is not the topic's active agent is refused", async (use) => {
  const agent = await createEscalated();
  const [colleague, manager] = await Promise.all([
    signInNewAgent(agent.agency_id),
    signInNewAgent(agent.agency_id, "manager"),
  ]);
  const inactive = await createEscalated();
  await sql`update public.agents set is_active = false where id = ${inactive.agent_id}`;
  const forged = browserClient();
  const user_id = await userId(agent.agent_id);
  await forged.realtime.setAuth(await tokenOf(user_id, 60, "another secret of 32 characters."));
  const expired = browserClient();
  await expired.realtime.setAuth(await tokenOf(user_id, -1));

  await Promise.all(
    ([
      [browserClient(), agent.topic, /permissions/],
      [colleague.client, agent.topic, /permissions/],
      [manager.client, agent.topic, /permissions/],
      [inactive.client, inactive.topic, /permissions/],
      [agent.client, `agent:${colleague.agent_id}`, /permissions/],
      [agent.client, "agent:", /permissions/],
      [agent.client, `agency:${agent.agency_id}`, /permissions/],
      [manager.client, `agency:${inactive.agency_id}`, /permissions/],
      [manager.client, "agency:", /permissions/],
      [agent.client, `agent:${agent.agent_id}' or true --`, /permissions/],
      [forged, agent.topic, /JwtSignatureError/],
      [expired, agent.topic, /expired/],
    ] as const).map(async ([client, topic, reason]) => {
      const { statuses, error } = await subscribe(use(client), topic);
      assert.deepEqual(statuses, ["CHANNEL_ERROR"], topic);
      assert.match(error!, reason);
    }),
  );
});

realtimeTest("a channel lives as long as its token, and a newer one prolongs it", async (use) => {
  const agent = await createEscalated();
  const user_id = await userId(agent.agent_id);
  const [short, renewed, stolen] = await Promise.all([1, 2, 3].map(async () => {
    const client = use(browserClient());
    await client.realtime.setAuth(await tokenOf(user_id, 3));
    return { client, subscription: await subscribe(client, agent.topic) };
  }));
  await renewed!.client.realtime.setAuth(await tokenOf(user_id, 60));
  // Another user's token does not keep the topic.
  const colleague = await signInNewAgent(agent.agency_id);
  await stolen!.client.realtime.setAuth(await tokenOf(await userId(colleague.agent_id), 60));

  await Promise.all([short, stolen].map((it) => awaitStatus(it!.subscription, "CLOSED")));
  await receive(agent.conversation);
  await awaitEvents(renewed!.subscription, 1);
  assert.deepEqual(short!.subscription.events, []);
  assert.deepEqual(stolen!.subscription.events, []);
  assert.deepEqual(renewed!.subscription.statuses, ["SUBSCRIBED"]);
});

realtimeTest("who leaves a topic hears nothing more, and may join again", async (use) => {
  const agent = await createEscalated();
  const heartbeats: string[] = [];
  const client = use(
    await openTab(agent, { heartbeatIntervalMs: 200, heartbeatCallback: (status: string) => heartbeats.push(status) }),
  );
  const first = await subscribe(client, agent.topic);
  assert.equal(await client.removeChannel(first.channel), "ok");
  await receive(agent.conversation);
  const second = await subscribe(client, agent.topic);
  await receive(agent.conversation);
  await awaitEvents(second, 1);
  assert.equal(second.events.length, 1);
  assert.deepEqual(first.events, []);
  await until(() => heartbeats.includes("ok"), () => `heartbeats: ${heartbeats}`);
});
