import type { Page, WebSocketRoute } from "playwright-core";
import { sql } from "../support/client.ts";
import { createEscalated, type Escalated } from "../support/realtime.ts";
import { receive } from "../support/sms.ts";
import { deskTest, signIn } from "./harness.ts";

/** Signs in at the inbox, and waits until events come. */
async function watch(page: Page): Promise<Escalated> {
  const agent = await createEscalated();
  await signIn(page, agent, "inbox");
  await receive(agent.conversation, { Body: "The first" });
  await page.getByText("The first").waitFor();
  return agent;
}

/** Stores a text of the recruit, of which no event tells. */
async function storeUnheard({ conversation }: Escalated, body: string): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
      values (${conversation.id}, 'inbound', 'recruit', ${body})`;
  });
}

deskTest("what was missed is read when the connection is back", async (page) => {
  const agent = await watch(page);
  await storeUnheard(agent, "Missed by the page");
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity where usename = 'supabase_realtime_admin'`;
  await page.getByText("Missed by the page").waitFor();
});

deskTest("a topic that the service has closed is joined again, and what was missed is read", async (page) => {
  const joins: { ws: WebSocketRoute; text: string }[] = [];
  await page.routeWebSocket(/\/realtime\//, (ws) => {
    const server = ws.connectToServer();
    ws.onMessage((text) => {
      if (String(text).includes("phx_join")) joins.push({ ws, text: String(text) });
      server.send(text);
    });
  });
  const agent = await watch(page);
  await storeUnheard(agent, "Missed by the page");
  // As the service does where the token is over.
  const { ws, text } = joins.at(-1)!;
  const [join_ref, , topic] = JSON.parse(text);
  ws.send(JSON.stringify([join_ref, null, topic, "phx_close", {}]));
  await page.getByText("Missed by the page").waitFor();

  await receive(agent.conversation, { Body: "Heard again" });
  await page.getByText("Heard again").waitFor();
});
