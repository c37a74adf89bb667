/** Realtime as the gateway of `npm start` serves it: what it refuses, and how clients get over its faults. */
import assert from "node:assert/strict";
import { createAgentWithLead } from "./support/agents.ts";
import { sql, stack } from "./support/client.ts";
import { pidOf } from "./support/processes.ts";
import {
  awaitEvents,
  awaitStatus,
  createEscalated,
  type Escalated,
  openTab,
  realtimeTest,
  subscribe,
  until,
} from "./support/realtime.ts";
import { receive } from "./support/sms.ts";

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
    Deno.kill(pidOf("gateway"), "SIGKILL");
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
      await sql`
      select pg_terminate_backend(pid) from pg_stat_activity where usename = 'supabase_realtime_admin'`;
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

realtimeTest("a client that sends too much, or nonsense, is let go", async () => {
  const joins = Array.from(
    { length: 200 },
    (_, n) =>
      JSON.stringify([`${n}`, `${n}`, `realtime:${n}`, "phx_join", { config: { private: true } }]),
  );
  for (
    const [messages, code] of [
      [["no JSON"], 1008],
      [["[1]"], 1008],
      [[JSON.stringify([null, "1", "phoenix", "heartbeat", { x: "x".repeat(70_000) }])], 1009],
    ] as const
  ) {
    const { socket, closed } = await connect(QUERY);
    for (const message of messages) socket.send(message);
    assert.equal((await closed).code, code, messages[0]!.slice(0, 60));
  }
  // The rest of what it sends meets a closed connection, so it may not learn the code.
  const { socket, closed } = await connect(QUERY);
  for (const join of joins) socket.send(join);
  assert.notEqual((await closed).code, 1000);
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
      received.map((
        [, ref, , event, payload],
      ) => [ref, event, (payload as { status: string }).status]),
      messages.map(([, ref]) => [ref, "phx_reply", ref === "6" ? "ok" : "error"]),
    );
    socket.close();
    await closed;
  },
);

realtimeTest("a connection has 100 topics at most, and the gateway 200 connections", async () => {
  // The service role may join any topic.
  const { socket, received, closed } = await connect(`vsn=2.0.0&apikey=${stack.secret_key}`);
  for (let n = 1; n <= 101; n++) {
    const ref = String(n);
    socket.send(
      JSON.stringify([ref, ref, `realtime:${n}`, "phx_join", { config: { private: true } }]),
    );
    // No more than 100 messages may wait.
    if (n % 50 === 0) await awaitReplies(received, n);
  }
  await awaitReplies(received, 101);
  const refused = received.filter(([, , , , payload]) =>
    (payload as { status: string }).status !== "ok"
  );
  assert.deepEqual(refused.map(([, ref]) => ref), ["101"]);
  socket.close();
  await closed;

  const connections = await Promise.all(Array.from({ length: 210 }, () => connect(QUERY)));
  const open = connections.filter(({ isOpen }) => isOpen);
  assert(open.length <= 200, `${open.length} are open`);
  const { status } = await fetch(`${stack.api_url}/health`).then((response) => response.json());
  assert.equal(status, "ok");
  await Promise.all(connections.map(({ socket, closed }) => (socket.close(), closed)));
});

realtimeTest("a client that takes nothing is let go, and others hear everything", async (use) => {
  const agent = await createEscalated();
  const { data: { session } } = await use(agent.client).auth.getSession();
  const { hostname, port } = new URL(stack.api_url);
  const slow = await Deno.connect({ hostname, port: Number(port) });
  const text = new TextEncoder();
  await slow.write(text.encode(
    `GET /realtime/v1/websocket?${QUERY} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\n` +
      "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n",
  ));
  await slow.read(new Uint8Array(1024));
  const config = { private: true };
  const join = text.encode(JSON.stringify(
    ["1", "1", `realtime:${agent.topic}`, "phx_join", {
      config,
      access_token: session!.access_token,
    }],
  ));
  // A text frame of RFC 6455 with its length in two bytes and a mask of zeros.
  await slow.write(
    new Uint8Array([0x81, 0xfe, join.length >> 8, join.length & 255, 0, 0, 0, 0, ...join]),
  );
  await slow.read(new Uint8Array(1024));
  const listening = await subscribe(agent.client, agent.topic);

  // More than what lies between the two: TCP may keep 10 MB.
  for (let n = 1; n <= 16; n++) {
    await sql`
      select realtime.send(jsonb_build_object('x', repeat('x', 7000)), 'test', ${agent.topic}, true)
      from generate_series(1, 100)`;
    await awaitEvents(listening, 100 * n);
  }
  const giveUp = setTimeout(() => slow.close(), 10_000);
  let received = "";
  const chunk = new Uint8Array(65_536);
  while (!received.includes("The client is too slow")) {
    const bytes = await slow.read(chunk);
    assert(bytes !== null, "the connection has ended without a reason");
    received = received.slice(-100) + new TextDecoder().decode(chunk.subarray(0, bytes));
  }
  clearTimeout(giveUp);
  slow.close();
  assert.deepEqual(listening.statuses, ["SUBSCRIBED"]);
});
