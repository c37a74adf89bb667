/** Realtime as the gateway of `npm start` serves it: whom it refuses, and how clients get over its faults. */
import assert from "node:assert/strict";
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

realtimeTest("nobody connects without a key of the project", async () => {
  for (
    const [search, isOpen] of [
      [`vsn=2.0.0&apikey=${stack.publishable_key}`, true],
      [`vsn=2.0.0&apikey=${stack.anon_key}`, true],
      ["vsn=2.0.0", false],
      ["vsn=2.0.0&apikey=sb_publishable_wrong", false],
      [`vsn=2.0.0&apikey=${stack.anon_key}x`, false],
      [`vsn=3.0.0&apikey=${stack.publishable_key}`, false],
    ] as const
  ) {
    const socket = new WebSocket(`${stack.api_url.replace("http", "ws")}/realtime/v1/websocket?${search}`);
    socket.onerror = (event) => event.preventDefault();
    const opened = new Promise((resolve) => socket.onopen = () => resolve(true));
    const closed = new Promise((resolve) => socket.onclose = () => resolve(false));
    assert.equal(await Promise.race([opened, closed]), isOpen, search);
    socket.close();
    await closed;
  }
});
