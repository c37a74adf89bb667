/** Notifications of agents and Realtime: a notification is stored whatever Realtime does. */
import assert from "node:assert/strict";
import type postgres from "postgres";
import { connect, readStackInfo } from "../../dev/local/mod.ts";

const { db_url } = readStackInfo();

/** Runs a test in a transaction that is rolled back, with an agent's notification still to be stored. */
function realtimeTest(
  name: string,
  run: (sql: postgres.TransactionSql, notify: () => Promise<string>) => Promise<void>,
): void {
  Deno.test(name, async () => {
    const sql = connect(db_url);
    const done = new Error("rolled back");
    try {
      await sql.begin(async (sql) => {
        const [ids] = await sql`
          with agency as (
            insert into public.agencies (name, timezone) values ('A', 'America/New_York') returning id
          ), agent as (
            insert into public.agents (agency_id, first_name, role)
            select id, 'Nora', 'agent' from agency returning id, agency_id
          )
          insert into public.recruiting_conversations
            (agency_id, recruit_phone, service_phone, status, assigned_agent_id)
          select agency_id, '+13125550100', '+13125550199', 'escalated', id from agent
          returning id, assigned_agent_id as agent_id`;
        await run(sql, async () => {
          const [{ id }] = await sql<[{ id: string }]>`
            with message as (
              insert into public.recruiting_messages (conversation_id, direction, sender_type)
              values (${ids!.id}, 'inbound', 'recruit') returning id
            )
            insert into public.agent_notifications (agent_id, conversation_id, message_id, kind)
            select ${ids!.agent_id}, ${ids!.id}, id, 'text' from message
            returning id`;
          return id;
        });
        throw done;
      }).catch((error) => assert.equal(error, done));
    } finally {
      await sql.end();
    }
  });
}

realtimeTest("a notification is sent to its agent's topic, as ids alone", async (sql, notify) => {
  const id = await notify();
  const [row] = await sql`
    select n.agent_id, n.conversation_id, n.message_id, n.lead_id from public.agent_notifications n where id = ${id}`;
  const { agent_id, ...ids } = row!;
  const sent = await sql`
    select event, extension, private, payload from realtime.messages where topic = ${`agent:${agent_id}`}`;
  assert.deepEqual([...sent], [{
    event: "notification",
    extension: "broadcast",
    private: true,
    payload: { id, kind: "text", ...ids },
  }]);
});

const FAULTS: [what: string, sql: string][] = [
  ["Realtime's function fails", otherSend("raise exception 'down' using errcode = 'XX000'")],
  ["Realtime's function is missing", "drop function realtime.send"],
  ["Realtime's function takes other arguments", otherSend("null", "payload text")],
  ["Realtime is missing", "drop schema realtime cascade"],
  ["the table of messages is missing", "drop table realtime.messages cascade"],
  ["the table has no partition for today", "drop table realtime.messages_default"],
  [
    "the owner may store no messages",
    "alter function private.broadcast_notification() owner to anon",
  ],
];
for (const [what, sql] of FAULTS) {
  realtimeTest(`a notification is stored when ${what}`, async (transaction, notify) => {
    await transaction.unsafe(sql);
    const id = await notify();
    const stored = await transaction`select from public.agent_notifications where id = ${id}`;
    assert.equal(stored.length, 1);
  });
}

/** Puts another function in the place of Realtime's own. */
function otherSend(
  body: string,
  parameters = "payload jsonb, event text, topic text, private boolean",
) {
  return `drop function realtime.send;
    create function realtime.send(${parameters}) returns void language plpgsql as 'begin ${
    body.replaceAll("'", "''")
  }; end'`;
}

realtimeTest("a notification does not wait for a lock of Realtime's", async (_, notify) => {
  const other = connect(db_url);
  await other`begin`;
  await other`lock table realtime.messages in access exclusive mode`;
  try {
    await notify();
  } finally {
    await other`rollback`;
    await other.end();
  }
});

realtimeTest("the migration does nothing where Realtime is missing", async (sql) => {
  const allow = async () => (await sql`select private.allow_agent_topics() as done`)[0]!.done;
  assert.equal(await allow(), true);
  assert.equal(await allow(), true, "it may be repeated");
  await sql`drop schema realtime cascade`;
  assert.equal(await allow(), false);
});
