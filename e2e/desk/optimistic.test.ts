/** A change shows at once, is taken back with a sentence when it is refused, and reads single rows again. */
import assert from "node:assert/strict";
import type { Locator, Page, Request, Route } from "playwright-core";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { assertAccessible, deskTest, rendered, signIn, until } from "./harness.ts";
import { createTalk, createTexter, list, openBell, outbox, type Talk, tell, type Texter, texts } from "./talks.ts";

/** A call that waits for its response. */
interface HeldCall {
  isCalled(): boolean;
  /** Lets the call, once it has come, go on to the service. */
  release(): Promise<void>;
  /** Responds to the call, once it has come, as the database does when it refuses one. */
  refuse(code: string, message: string): Promise<void>;
}

/** Holds the next calls of a function of the database. */
async function hold(page: Page, name: string): Promise<HeldCall> {
  const held: Route[] = [];
  let isHeld = true;
  await page.route(`**/rest/v1/rpc/${name}`, async (route) => {
    if (isHeld) held.push(route);
    else await route.continue();
  });
  const isCalled = () => held.length > 0;
  return {
    isCalled,
    async release() {
      await until(isCalled);
      isHeld = false;
      for (const route of held) await route.continue();
    },
    async refuse(code, message) {
      // The page shows a change before it calls. A call that comes later than this would go to the service.
      await until(isCalled);
      isHeld = false;
      const json = { code, message, details: null, hint: null };
      for (const route of held) await route.fulfill({ status: Number(code.slice(2)), json });
    },
  };
}

/** The address of a read of one conversation, alone or as a row of the list. */
const ONE_CONVERSATION = /\/rest\/v1\/inbox\?select=\*.*&id=(eq|in)\./;

/** Counts what the page reads: the requests whose address matches. */
function countReads(page: Page, pattern: RegExp): { urls: string[] } {
  const counted = { urls: [] as string[] };
  page.on("request", (request) => {
    const url = decodeURIComponent(request.url());
    if (request.method() === "GET" && pattern.test(url)) counted.urls.push(url);
  });
  return counted;
}

/**
 * Signs in, and waits until the page has joined its topic and read all that it reads then. A read that comes between a
 * change and its response would show what is stored.
 *
 * @returns what waits until the page has read all again
 */
async function signInAndJoin(page: Page, agent: Texter, view: string): Promise<() => Promise<void>> {
  let lists = 0;
  const inFlight = new Set<Request>();
  let quietSince = Date.now();
  page.on("request", (request) => request.method() === "GET" && inFlight.add(request));
  const end = (request: Request) => {
    inFlight.delete(request);
    // What an event makes worth reading is asked for within 1.15 seconds (live.ts).
    quietSince = Date.now();
    lists += Number(/\/rest\/v1\/inbox\?select=\*&agency_id=/.test(request.url()));
  };
  page.on("requestfinished", end);
  page.on("requestfailed", end);
  await signIn(page, agent, view);
  const untilRead = () => until(() => lists >= 2 && inFlight.size === 0 && Date.now() - quietSince > 1_200);
  await untilRead();
  return untilRead;
}

/** Makes an agent who has opened a conversation in which the recruit waits, with a second one in the list. */
async function openOfTwo(
  page: Page,
  status: "bot" | "escalated" = "escalated",
): Promise<Talk & { untilRead: () => Promise<void> }> {
  const agent = await createTexter();
  await tell(await createTalk(agent, "Omar"), [["recruit", "Me first", 90]]);
  const talk = await createTalk(agent, "Maya", {}, status);
  await tell(talk, [["recruit", "Is this still open?", 5]]);
  const untilRead = await signInAndJoin(page, agent, `inbox/${talk.id}`);
  await texts(page).getByText("Is this still open?").waitFor();
  await list(page).getByRole("link", { name: /Omar/ }).waitFor();
  return { ...talk, untilRead };
}

deskTest("a recruit who needs no reply leaves the list at once, and comes back where it is refused", async (page) => {
  await openOfTwo(page);
  const call = await hold(page, "no_reply_needed");
  const row = list(page).getByRole("link", { name: /Maya/ });
  const button = page.getByRole("button", { name: "No reply needed" });
  await button.click();
  await row.waitFor({ state: "detached" });
  await button.waitFor({ state: "detached" });
  await call.refuse("PT404", "conversation_id: there is no such conversation");
  await page.getByRole("alert").getByText("There is no such conversation.").waitFor();
  await row.waitFor();
  await button.waitFor();
  assert.deepEqual(await list(page).getByRole("link").locator(".name bdi").allInnerTexts(), ["Omar", "Maya"]);
  await assertAccessible(page);
  // The sentence goes with the next try.
  await button.click();
  await row.waitFor({ state: "detached" });
  await page.getByRole("alert").waitFor({ state: "detached" });
});

deskTest("what the service has agreed to is read again, so that the list has what is stored", async (page) => {
  const talk = await openOfTwo(page, "bot");
  const call = await hold(page, "assign_conversation");
  await page.getByText("The bot is silent. You are told of each text.").waitFor();
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("Assigned to you").waitFor();
  await until(call.isCalled);
  const [before] = await sql`select status from public.recruiting_conversations where id = ${talk.id}`;
  assert.equal(before!.status, "bot");
  await call.release();
  await until(async () => {
    const [row] = await sql`select status from public.recruiting_conversations where id = ${talk.id}`;
    return row!.status === "escalated";
  });
  await page.getByText("Assigned to you").waitFor();
});

deskTest("a take-over that is refused is taken back, with a sentence", async (page) => {
  await openOfTwo(page, "bot");
  const call = await hold(page, "assign_conversation");
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("Assigned to you").waitFor();
  await call.refuse("PT404", "conversation_id: there is no such conversation");
  await page.getByRole("alert").getByText("There is no such conversation.").waitFor();
  await page.getByText("The bot is silent. You are told of each text.").waitFor();
  await page.getByRole("button", { name: "Take over" }).waitFor();
});

deskTest("an event takes back no change that is on its way", async (page) => {
  const talk = await openOfTwo(page, "bot");
  const call = await hold(page, "assign_conversation");
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("Assigned to you").waitFor();
  await until(call.isCalled);
  await receive(talk, { Body: "Hello?" });
  // What an event makes worth reading is asked for at once.
  await texts(page).getByText("Hello?").waitFor();
  await talk.untilRead();
  assert.equal(await page.getByText("Assigned to you").count(), 1);
  await call.release();
  await until(async () => {
    const [row] = await sql`select status from public.recruiting_conversations where id = ${talk.id}`;
    return row!.status === "escalated";
  });
  await list(page).getByRole("link", { name: /Maya/ }).getByText("Hello?").waitFor();
});

deskTest("a read of a row that began before a change takes back nothing", async (page) => {
  const talk = await openOfTwo(page);
  const reads: Route[] = [];
  await page.route(/\/rest\/v1\/inbox\?.*&id=in\./, (route) => void reads.push(route), { times: 1 });
  await receive(talk, { Body: "Hello?" });
  await texts(page).getByText("Hello?").waitFor();
  await until(() => reads.length > 0);
  const call = await hold(page, "no_reply_needed");
  const row = list(page).getByRole("link", { name: /Maya/ });
  await page.getByRole("button", { name: "No reply needed" }).click();
  await row.waitFor({ state: "detached" });
  await until(call.isCalled);
  await reads[0]!.continue();
  await (await reads[0]!.request().response())!.finished();
  await rendered(page);
  assert.equal(await row.count(), 0);
  await call.release();
  await until(async () => {
    const [stored] = await sql`select waiting_since from public.recruiting_conversations where id = ${talk.id}`;
    return stored!.waiting_since === null;
  });
  assert.equal(await row.count(), 0);
});

deskTest("a conversation that is marked as read meanwhile takes back no change that is on its way", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent, "Maya", {}, "bot");
  await tell(talk, [["recruit", "Is this still open?", 5]]);
  const marking = await hold(page, "read_conversation");
  await signInAndJoin(page, agent, `inbox/${talk.id}`);
  await until(marking.isCalled);
  const call = await hold(page, "assign_conversation");
  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("Assigned to you").waitFor();
  await until(call.isCalled);
  const reads = countReads(page, ONE_CONVERSATION);
  const counted = page.waitForResponse((response) => /\/inbox_counts\?/.test(response.url()));
  await marking.release();
  await counted;
  // Requests keep their turns: what the mark makes worth reading is asked for before this text.
  await receive(talk, { Body: "Hello?" });
  await texts(page).getByText("Hello?").waitFor();
  assert.deepEqual(reads.urls, []);
  assert.equal(await page.getByText("Assigned to you").count(), 1);
  await call.release();
  await until(() => reads.urls.length > 0);
  await page.getByText("Assigned to you").waitFor();
});

deskTest("a text is cancelled at once, and stands again where it is being sent already", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent);
  await receive(talk, { Body: "Is this still open?" });
  await signInAndJoin(page, agent, `inbox/${talk.id}`);
  await sql`update public.service_numbers set status = 'paused' where phone = ${agent.service}`;
  await page.getByLabel("Text to Maya").fill("It is");
  await page.getByRole("button", { name: "Send" }).click();
  const cancel = texts(page).getByRole("button", { name: "Cancel this text" });
  await cancel.waitFor();
  const call = await hold(page, "cancel_text");
  await cancel.click();
  await texts(page).getByText("Not sent: it was cancelled.").waitFor();
  await call.refuse("PT409", "message_id: this text is being sent already");
  await texts(page).getByRole("alert").getByText("This text is being sent already.").waitFor();
  await cancel.waitFor();
  const reads = countReads(page, /\/recruiting_messages\?/);
  await cancel.click();
  await until(async () => (await outbox(talk))[0]!.state === "refused");
  await texts(page).getByText("Not sent: it was cancelled.").waitFor();
  await until(() => reads.urls.some((url) => /[?&]id=in\./.test(url)));
});

deskTest("a text that has failed is tried again at once, and once for a double click", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent);
  await receive(talk, { Body: "Is this still open?" });
  await signInAndJoin(page, agent, `inbox/${talk.id}`);
  await page.getByLabel("Text to Maya").fill("It is");
  await page.getByRole("button", { name: "Send" }).click();
  await until(async () => (await outbox(talk)).length === 1);
  await sql`
    update public.text_outbox set state = 'failed', reason = '30008' where conversation_id = ${talk.id}`;
  await sql`
    update public.recruiting_messages set status = 'failed'
    where conversation_id = ${talk.id} and direction = 'outbound'`;
  const retry = texts(page).getByRole("button", { name: "Try again" });
  await retry.waitFor();
  const call = await hold(page, "retry_text");
  let calls = 0;
  page.on("request", (request) => calls += Number(/\/rpc\/retry_text/.test(request.url())));
  await retry.dblclick();
  const sending = texts(page).getByText("Being sent");
  await sending.waitFor();
  await until(call.isCalled);
  // An event takes back no change that is on its way. What it is about is read when that is settled.
  const reads = countReads(page, /\/recruiting_messages\?/);
  await receive(talk, { Body: "Hello?" });
  await list(page).getByRole("link", { name: /Maya/ }).getByText("Hello?").waitFor();
  assert.deepEqual(reads.urls, []);
  assert.equal(await sending.count(), 1);
  await call.refuse("PT409", "message_id: this text was not sent");
  await texts(page).getByRole("alert").getByText("This text was not sent.").waitFor();
  await retry.waitFor();
  await texts(page).getByText("Hello?").waitFor();
  assert.equal(calls, 1);
});

deskTest("a notice goes at once, and comes back with a sentence where that fails", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent);
  await sql`
    insert into public.agent_notifications (agent_id, conversation_id, kind, by_agent_id)
    values (${agent.agent_id}, ${talk.id}, 'asked_for', ${agent.agent_id})`;
  await signInAndJoin(page, agent, "inbox");
  const bell = await openBell(page);
  const notice = bell.getByText("asks for the conversation with Maya.");
  await notice.waitFor();
  const call = await hold(page, "mark_read");
  await bell.getByRole("button", { name: "OK" }).click();
  await notice.waitFor({ state: "detached" });
  await call.refuse("PT409", "notification_ids: another change came first");
  await bell.getByRole("alert").getByText("Another change came first.").waitFor();
  await notice.waitFor();
});

deskTest("an event reads one row of the list, however long it is", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent, "Zoe");
  await tell(talk, [["recruit", "Is this still open?", 1]]);
  await sql`
    with lead as (
      insert into public.recruiting_leads (vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id)
      select v.id, 'Recruit ' || n, jsonb_build_object('phone', '+1312' || (5000000 + n)), 'not_requested',
        ${agent.agency_id}, ${agent.agent_id}
      from (select id from public.vendors limit 1) v, generate_series(1, 300) n
      returning id, vendor_metadata
    )
    insert into public.recruiting_conversations
      (agency_id, recruiting_lead_id, recruit_phone, service_phone, status, assigned_agent_id, last_text_at,
        waiting_since)
    select ${agent.agency_id}, id, vendor_metadata ->> 'phone', ${agent.service}, 'escalated', ${agent.agent_id},
      now() - interval '1 day', now() - interval '1 day'
    from lead`;
  const untilRead = await signInAndJoin(page, agent, "inbox");
  const isLast = async (row: Locator) => {
    await page.evaluate("document.querySelector('.list').scrollTo(0, 1e9)");
    return await row.count() === 1;
  };
  for (const rows of [50, 100, 200]) {
    await until(() => isLast(list(page).locator(`[aria-posinset="${rows}"]`)));
    await list(page).getByRole("button", { name: "Show more" }).click();
  }
  const row = list(page).getByRole("link", { name: /Zoe/ });
  await until(() => isLast(row));
  await untilRead();
  const reads = countReads(page, /\/rest\/v1\/inbox\?select=\*/);
  await receive(talk, { Body: "Hello?" });
  await row.getByText("Hello?").waitFor();
  assert.ok(reads.urls.length > 0);
  // PostgREST's filter names the one conversation.
  for (const url of reads.urls) assert.match(url, new RegExp(`[?&]id=in\\.\\(${talk.id}\\)`));
});
