import assert from "node:assert/strict";
import type { Page, Request } from "playwright-core";
import { type SignedIn, signInNewAgent } from "../support/agents.ts";
import { createAgency, sql } from "../support/client.ts";
import { newPhone, receive } from "../support/sms.ts";
import { signIn, until } from "./harness.ts";

/** An agent of an agency that has a number. */
export interface Texter extends SignedIn {
  agency_id: string;
  /** The agency's number. */
  service: string;
}

/** A conversation of the tests. */
export interface Talk {
  id: string;
  lead_id: string;
  recruit: string;
  service: string;
}

/** Makes an agency with a number, and an agent of it. */
export async function createTexter(role: "agent" | "manager" = "agent"): Promise<Texter> {
  const { id: agency_id } = await createAgency();
  const service = newPhone();
  await sql`
    insert into public.service_numbers (phone, agency_id, segments_per_second)
    values (${service}, ${agency_id}, 10000)`;
  return { ...await signInNewAgent(agency_id, role), agency_id, service };
}

/** Makes a colleague in the same agency. */
export async function createColleague({ agency_id, service }: Texter, name = "Omar"): Promise<Texter> {
  const agent = await signInNewAgent(agency_id);
  await sql`update public.agents set first_name = ${name} where id = ${agent.agent_id}`;
  return { ...agent, agency_id, service };
}

/** Makes a recruit of an agent's, with a conversation in which nobody has written. */
export async function createTalk(
  { agency_id, agent_id, service }: Texter,
  first_name = "Maya",
  vendor_metadata: Record<string, string | object> = {},
  status: "bot" | "escalated" = "escalated",
): Promise<Talk> {
  const recruit = newPhone();
  const [row] = await sql`
    with vendor as (
      insert into public.vendors (slug, name) values ('test-' || gen_random_uuid(), 'A vendor') returning id
    ), lead as (
      insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id)
      select id, ${first_name}, ${sql.json({ phone: recruit, ...vendor_metadata })}, 'not_requested', ${agency_id},
        ${agent_id}
      from vendor returning id
    )
    insert into public.recruiting_conversations
      (agency_id, recruiting_lead_id, recruit_phone, service_phone, status, assigned_agent_id)
    select ${agency_id}, id, ${recruit}, ${service}, ${status}, ${agent_id} from lead
    returning id, recruiting_lead_id`;
  return { id: row!.id, lead_id: row!.recruiting_lead_id, recruit, service };
}

/** The texts of a conversation that wait or were sent, oldest first. */
export function outbox({ id }: Talk) {
  return sql`
    select o.message_id, o.state, o.reason, m.body
    from public.text_outbox o join public.recruiting_messages m on m.id = o.message_id
    where o.conversation_id = ${id} order by o.ordinal`;
}

/** Runs a script in the page, with the `store` of the texts that wait. Returns what it has set as `result`. */
export async function inOutbox(page: Page, script: string): Promise<unknown> {
  return await page.evaluate(`new Promise((resolve, reject) => {
    const opening = indexedDB.open("desk", 1);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction("outbox", "readwrite");
      const store = transaction.objectStore("outbox");
      let result;
      ${script};
      transaction.oncomplete = () => resolve(result);
      opening.result.close();
    };
  })`);
}

/** The number of texts that the page keeps and the service does not have yet. */
export async function countWaiting(page: Page): Promise<number> {
  return await inOutbox(page, "store.count().onsuccess = ({ target }) => result = target.result") as number;
}

/** Asserts which texts are queued once the page has no more to send. */
export async function assertQueued(page: Page, talk: Talk, bodies: string[]): Promise<void> {
  await until(async () => await countWaiting(page) === 0);
  assert.deepEqual((await outbox(talk)).map(({ body }) => body), bodies);
}

/** A text of a story: who wrote it, what, and how many minutes ago. */
type Line = [sender: "recruit" | "bot" | "agent", body: string, minutesAgo: number];

/** Stores what was written in a conversation before the test. */
export async function tell({ id }: Talk, lines: Line[]): Promise<void> {
  const rows = lines.map(([sender_type, body, minutes]) => ({
    conversation_id: id,
    sender_type,
    direction: sender_type === "recruit" ? "inbound" : "outbound",
    body,
    status: sender_type === "recruit" ? null : "delivered",
    created_at: new Date(Date.now() - minutes * 60_000),
  }));
  await sql`insert into public.recruiting_messages ${sql(rows)}`;
  await sql`
    update public.recruiting_conversations c
    set last_text_at = m.latest, last_message_at = m.inbound,
      waiting_since = (
        select min(w.created_at) from public.recruiting_messages w
        where w.conversation_id = c.id and w.direction = 'inbound' and w.created_at > coalesce(m.outbound, '-infinity'))
    from (
      select max(created_at) as latest, max(created_at) filter (where direction = 'inbound') as inbound,
        max(created_at) filter (where direction = 'outbound') as outbound
      from public.recruiting_messages where conversation_id = ${id}
    ) m
    where c.id = ${id}`;
}

/** The read of the notifications that an agent has not read. */
export const OF_NOTIFICATIONS = /\/agent_notifications\?.*limit=100/;

/**
 * Signs in to a view. Resolves once the page has joined its topic and has read the notifications since, so that it hears
 * of the next one and knows it for new.
 */
export async function signInJoined(page: Page, agent: Texter, view: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked = new Set<Request>();
  let hasJoined = false;
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const [, , topic, event, content] = JSON.parse(String(payload));
      const isAnswer = topic === `realtime:agent:${agent.agent_id}` && event === "phx_reply";
      hasJoined ||= isAnswer && content.status === "ok";
    }));
  // One that was asked for before is dropped for the one that follows the join.
  page.on("request", (request) => hasJoined && OF_NOTIFICATIONS.test(request.url()) && asked.add(request));
  page.on("requestfinished", (request) => asked.has(request) && resolve());
  await signIn(page, agent, view);
  await promise;
}

/** Opens a conversation in which the recruit has just written "Is this still open?". */
export async function openTalk(page: Page, agent: Texter, name = "Maya"): Promise<Talk> {
  const talk = await createTalk(agent, name);
  await receive(talk, { Body: "Is this still open?" });
  await signIn(page, agent, `inbox/${talk.id}`);
  await texts(page).getByText("Is this still open?").waitFor();
  return talk;
}

/** The texts of the open conversation. */
export function texts(page: Page) {
  return page.getByRole("region", { name: "Texts" });
}

/** The list of conversations. */
export function list(page: Page) {
  return page.getByRole("region", { name: "Conversations" });
}

/** Waits until the list has these conversations, by the first names of the recruits. */
export async function assertRows(page: Page, names: string[]): Promise<void> {
  const rows = list(page).getByRole("link").locator(".name bdi");
  await until(async () => (await rows.allTextContents()).join() === names.join());
}

/** Where a text is written. */
export function box(page: Page, name = "Maya") {
  return page.getByLabel(`Text to ${name}`);
}

export function send(page: Page) {
  return page.getByRole("button", { name: "Send" });
}

/** The button that leads from texts to notes and back. */
export function noteMode(page: Page) {
  return page.getByRole("button", { name: "Note", exact: true });
}

/** Where a note is written. */
export function noteBox(page: Page) {
  return page.getByLabel("Note about Maya");
}

export function saveNote(page: Page) {
  return page.getByRole("button", { name: "Save note" });
}

/** Opens the list of what is new. */
export async function openBell(page: Page) {
  await page.getByRole("banner").getByRole("button", { name: "Notifications" }).click();
  return page.getByRole("region", { name: "Notifications" });
}

/** Opens what chooses the conversations besides the parts of the inbox. */
export async function openFilters(page: Page): Promise<void> {
  await list(page).getByRole("button", { name: "Filters" }).click();
}

/** Opens the search of the inbox. */
export async function openSearch(page: Page) {
  await list(page).getByRole("button", { name: "Name, phone, e-mail or words" }).click();
  return list(page).getByRole("searchbox");
}

/** Gives the open conversation to a colleague. */
export async function giveTo(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Give it to" }).click();
  await page.getByRole("menuitem", { name }).click();
}

/** Opens what is known about the recruit of the open conversation, on a phone. */
export async function openAbout(page: Page): Promise<void> {
  await page.getByRole("button", { name: "More acts" }).tap();
  await page.getByRole("menuitem", { name: /^About / }).tap();
}
