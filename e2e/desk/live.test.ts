import assert from "node:assert/strict";
import type { Page, WebSocket, WebSocketRoute } from "playwright-core";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { deskTest, signIn, until } from "./harness.ts";
import { createTalk, createTexter, list, signInJoined, type Talk, type Texter, texts } from "./talks.ts";
import { expire, refreshTokenIn, wake } from "./tokens.ts";
import { cutConnections } from "../../dev/testing/faults/database.ts";

/** Opens a conversation, and waits until the page hears of what happens and has read all that has happened. */
async function openTalk(page: Page, agent: Texter): Promise<Talk> {
  const talk = await createTalk(agent);
  await signInJoined(page, agent, `inbox/${talk.id}`);
  const marked = page.waitForResponse("**/rpc/read_conversation");
  await receive(talk, { Body: "Zero" });
  await texts(page).getByText("Zero").waitFor();
  await marked;
  await hearOf(page, await createTalk(agent, "Somebody else"), "Zero elsewhere");
  return talk;
}

/** Receives a text of a conversation that is not open. The page reads for one event after the other. */
async function hearOf(page: Page, talk: Talk, body: string): Promise<void> {
  await receive(talk, { Body: body });
  await list(page).getByText(body).waitFor();
}

/** Receives a text of the open conversation. */
async function hearInTalk(page: Page, talk: Talk, body: string): Promise<void> {
  await receive(talk, { Body: body });
  await texts(page).getByText(body).waitFor();
}

/** The messages of the page to Realtime: the event of each. */
function watchSent(page: Page): string[] {
  const sent: string[] = [];
  const listen = (socket: WebSocket) =>
    socket.on("framesent", ({ payload }) => {
      const [, , topic, event] = JSON.parse(String(payload));
      if (topic !== "phoenix") sent.push(event);
    });
  page.on("websocket", listen);
  return sent;
}

/** Stores a recruit's text that Realtime tells nobody of. */
async function missText({ id }: Talk, body: string): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
      values (${id}, 'inbound', 'recruit', ${body})`;
  });
}

deskTest("a burst is read at once, and what was missed after a sleep, a cut and a closed topic", async (page) => {
  const sent = watchSent(page);
  let topic: { socket: WebSocketRoute; message: string };
  await page.routeWebSocket("**/realtime/v1/websocket**", (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      if (String(message).includes("phx_join")) topic = { socket, message: String(message) };
      server.send(message);
    });
  });
  const agent = await createTexter();
  const talk = await openTalk(page, agent);
  await page.getByRole("link", { name: "Sales leads" }).click();
  await page.getByRole("heading", { name: "Sales leads", level: 1 }).waitFor();
  await page.evaluate(`location.hash = "#/inbox/${talk.id}"`);
  await texts(page).getByText("Zero").waitFor();
  const [before, count] = [await refreshTokenIn(page), sent.length];
  await expire(page);
  await wake(page);
  await until(async () => await refreshTokenIn(page) !== before);
  await until(() => sent.includes("access_token", count));
  await hearInTalk(page, talk, "One");
  assert.equal(sent.filter((event) => event === "phx_join").length, 1, "a page joins its topic once");

  // A text of another conversation does not read the open one again.
  const other = await createTalk(agent, "Omar");
  await hearOf(page, other, "From elsewhere");
  let [lists, reads] = [0, 0];
  page.on("request", (request) => {
    lists += Number(/\/rest\/v1\/inbox\?/.test(request.url()));
    reads += Number(/\/recruiting_messages\?/.test(request.url()));
  });
  await hearOf(page, other, "Once more from elsewhere");
  assert.equal(reads, 0);
  lists = 0;
  await Promise.all(Array.from({ length: 8 }, (_, n) => receive(talk, { Body: `Text ${n}.` })));
  for (const n of [0, 7]) await texts(page).getByText(`Text ${n}.`).waitFor();
  assert.ok(lists < 8, `${lists} reads`);

  await missText(talk, "Two");
  await wake(page);
  await texts(page).getByText("Two").waitFor();
  await missText(talk, "Three");
  await cutConnections("supabase_realtime_admin");
  await texts(page).getByText("Three").waitFor();
  await hearInTalk(page, talk, "Four");
  await missText(talk, "Five");
  // As the service does where the token is over.
  const [join_ref, , name] = JSON.parse(topic!.message);
  topic!.socket.send(JSON.stringify([join_ref, null, name, "phx_close", {}]));
  await texts(page).getByText("Five").waitFor();
  await hearInTalk(page, talk, "Six");
  await page.getByRole("button", { name: "Nora" }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await until(() => sent.includes("phx_leave"));
});

deskTest("a topic that the service closes again and again is joined ever more seldom", async (page) => {
  const joins: number[] = [];
  await page.routeWebSocket("**/realtime/v1/websocket**", (socket) => {
    socket.onMessage((message) => {
      const [join_ref, ref, topic, event] = JSON.parse(String(message));
      const say = (said: string, payload: object) => socket.send(JSON.stringify([join_ref, ref, topic, said, payload]));
      say("phx_reply", { status: "ok", response: {} });
      if (event !== "phx_join") return;
      joins.push(Date.now());
      say("phx_close", {});
    });
  });
  await signIn(page, await createTexter());
  await until(() => joins.length === 3);
  const waits = joins.slice(1).map((time, n) => time - joins[n]!);
  assert.ok(waits[0]! > 900 && waits[1]! > 1_800, String(waits));
});
