/** Realtime as the gateway of `npm start` serves it: what it refuses, and how clients get over its faults. */
import assert from "node:assert/strict";
import { createAgentWithLead } from "../support/agents.ts";
import { sql, stack } from "../support/client.ts";
import {
  awaitEvents,
  awaitStatus,
  createEscalated,
  type Escalated,
  openTab,
  realtimeTest,
  subscribe,
  until,
} from "../support/realtime.ts";
import { receive } from "../support/sms.ts";
import { kill } from "../../dev/testing/faults/parts.ts";
import { cutConnections, tableLock, whileHeld } from "../../dev/testing/faults/database.ts";

/** Stores a notification without the gateway. */
async function notify({ agent_id, conversation }: Escalated): Promise<string> {
  const [row] = await sql`
    with message as (
      insert into public.recruiting_messages (conversation_id, direction, sender_type)
      values (${conversation.id}, 'inbound', 'recruit') returning id
    )
    insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
    select ${agent_id}, ${conversation.id}, id, 'text' from message
    returning id`;
  return row!.id;
}

realtimeTest(
  "fault: a tab joins again after the gateway was killed, and reads what it has missed",
  async (use) => {
    const agent = await createEscalated();
    const tab = use(await openTab(agent));
    const subscription = await subscribe(tab, agent.topic);
    await kill("gateway");
    const missed = await notify(agent);
    await awaitStatus(subscription, "CHANNEL_ERROR");
    await awaitStatus(subscription, "SUBSCRIBED");

    const { data: unread } = await tab.from("agent_notifications").select("id").is("read_at", null)
      .throwOnError();
    assert.deepEqual(unread, [{ id: missed }]);
    const heard = await notify(agent);
    assert.deepEqual((await awaitEvents(subscription, 1)).map(({ id }) => id), [heard]);
  },
);

realtimeTest(
  "fault: without its connection to the database Realtime fails alone, and lets clients join again",
  async (use) => {
    const agent = await createEscalated();
    const tab = use(await openTab(agent));
    const subscription = await subscribe(tab, agent.topic);
    const late = use(await openTab(agent));
    await sql`alter role supabase_realtime_admin nologin`;
    try {
      await cutConnections("supabase_realtime_admin");
      const { statuses, error } = await subscribe(late, agent.topic);
      assert.deepEqual(statuses, ["CHANNEL_ERROR"]);
      assert.match(error!, /UnableToConnectToProject/);
      const { body } = await receive(agent.conversation);
      assert.deepEqual(body, { status: "received" });
    } finally {
      await sql`alter role supabase_realtime_admin login`;
    }
    // The tab has missed the text, so it must not go on as if nothing had happened.
    await awaitStatus(subscription, "CHANNEL_ERROR");
    await awaitStatus(subscription, "SUBSCRIBED");
    const id = await notify(agent);
    await until(() => subscription.events.at(-1)?.id === id, () => "the event is missing");
  },
);

realtimeTest("fault: no text waits for Realtime's table", async () => {
  const agent = await createEscalated();
  await whileHeld(tableLock("realtime.messages"), async () => {
    const began = performance.now();
    const { body } = await receive(agent.conversation);
    assert.deepEqual(body, { status: "received" });
    assert(performance.now() - began < 2000, "the text has waited");
  });
  const [told] = await sql`
    select count(*)::integer from public.agent_notifications where conversation_id = ${agent.conversation.id}`;
  assert.equal(told!.count, 1);
});

realtimeTest("what only hosted Realtime can do is refused with a reason", async (use) => {
  const agent = await createAgentWithLead();
  use(agent.client);
  for (
    const [config, reason] of [
      [{}, /PrivateOnly: This project only allows private channels/],
      [{ private: true, presence: { enabled: true } }, /PresenceDisabled/],
    ] as const
  ) {
    const { error, channel } = await subscribe(agent.client, `agent:${agent.agent_id}`, config);
    assert.match(error!, reason);
    await agent.client.removeChannel(channel);
  }
  const { channel } = await subscribe(agent.client, `agent:${agent.agent_id}`);
  assert.equal(await channel.track({ typing: true }), "error");
});

/** Connects without supabase-js. */
async function connect(query: string) {
  const socket = new WebSocket(
    `${stack.api_url.replace("http", "ws")}/realtime/v1/websocket?${query}`,
  );
  const received: unknown[][] = [];
  socket.onmessage = ({ data }) => received.push(JSON.parse(data));
  const closed = new Promise<CloseEvent>((resolve) => socket.onclose = resolve);
  socket.onerror = (event) => event.preventDefault();
  const isOpen = await Promise.race([
    new Promise((resolve) => socket.onopen = () => resolve(true)),
    closed.then(() => false),
  ]);
  return { socket, received, closed, isOpen };
}

function awaitReplies(received: unknown[][], count: number): Promise<void> {
  return until(() => received.length === count, () => `${received.length} of ${count} replies`);
}

const QUERY = `vsn=2.0.0&apikey=${stack.publishable_key}`;

realtimeTest("nobody connects without a key of the project", async () => {
  for (
    const [query, isOpen] of [
      [QUERY, true],
      [`vsn=2.0.0&apikey=${stack.anon_key}`, true],
      ["vsn=2.0.0", false],
      ["vsn=2.0.0&apikey=sb_publishable_wrong", false],
      [`vsn=2.0.0&apikey=${stack.anon_key}x`, false],
      [`vsn=3.0.0&apikey=${stack.publishable_key}`, false],
    ] as const
  ) {
    const connection = await connect(query);
    assert.equal(connection.isOpen, isOpen, query);
    connection.socket.close();
    await connection.closed;
  }
  const plain = await fetch(`${stack.api_url}/realtime/v1/websocket?${QUERY}`);
  await plain.body?.cancel();
  assert.equal(plain.status, 426);
  const elsewhere = await fetch(`${stack.api_url}/realtime/v1/api/broadcast`, { method: "POST" });
  await elsewhere.body?.cancel();
  assert.equal(elsewhere.status, 404);
});

realtimeTest("a client that sends nonsense is let go", async () => {
  for (const message of ["no JSON", "[1]"]) {
    const { socket, closed } = await connect(QUERY);
    socket.send(message);
    assert.equal((await closed).code, 1008, message);
  }
});

realtimeTest(
  "a message that nobody understands gets an error, and the connection stays",
  async () => {
    const { socket, received, closed } = await connect(QUERY);
    const messages = [
      [null, "1", "somewhere", "phx_join", {}],
      ["2", "2", "realtime:agent:x", "access_token", { access_token: "x" }],
      ["3", "3", "realtime:", "phx_join", { config: { private: true } }],
      ["4", "4", "realtime:a\u0000b", "phx_join", { config: { private: true } }],
      ["5", "5", "realtime:x", "phx_join", { config: { private: true }, access_token: 5 }],
      [null, "6", "phoenix", "heartbeat", {}],
    ];
    for (const message of messages) socket.send(JSON.stringify(message));
    socket.send(new Uint8Array([3, 0, 0]));
    await awaitReplies(received, messages.length);
    assert.deepEqual(
      received.map(([, ref, , event, payload]) => [ref, event, (payload as { status: string }).status]),
      messages.map(([, ref]) => [ref, "phx_reply", ref === "6" ? "ok" : "error"]),
    );
    socket.close();
    await closed;
  },
);
