/** A change shows at once, is taken back with a sentence when it is refused, and reads single rows again. */
import assert from "node:assert/strict";
import type { Page, Request, Route } from "playwright-core";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { deskTest, rendered, signIn, until } from "./harness.ts";
import { assertRows, createTalk, createTexter, list, outbox, type Talk, tell, type Texter, texts } from "./talks.ts";

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

/** A conversation that is open, with what waits until the page has read all again. */
interface Opened extends Talk {
  untilRead(): Promise<void>;
}

/** Makes an agent who has opened a conversation in which the recruit waits, with a second one in the list. */
async function openOfTwo(page: Page, status: "bot" | "escalated" = "escalated"): Promise<Opened> {
  const agent = await createTexter();
  await tell(await createTalk(agent, "Omar"), [["recruit", "Me first", 90]]);
  const talk = await createTalk(agent, "Maya", {}, status);
  await tell(talk, [["recruit", "Is this still open?", 5]]);
  if (status === "bot") {
    await sql`
      with script as (
        insert into public.bot_scripts (agency_id, version, script) values (${agent.agency_id}, 1, '{}') returning id
      )
      insert into public.bot_sessions (conversation_id, script_id, question, state)
      select ${talk.id}, id, 'states', 'active' from script`;
  }
  const untilRead = await signInAndJoin(page, agent, `inbox/${talk.id}`);
  await texts(page).getByText("Is this still open?").waitFor();
  await list(page).getByRole("link", { name: /Omar/ }).waitFor();
  return { ...talk, untilRead };
}

deskTest("Done, a cancelled text and a retry show at once, and a refusal takes them back", async (page) => {
  const talk = await openOfTwo(page);
  let call = await hold(page, "no_reply_needed");
  const row = list(page).getByRole("link", { name: /Maya/ });
  const button = page.getByRole("button", { name: "Done: No reply needed" });
  await button.click();
  await row.waitFor({ state: "detached" });
  await button.waitFor({ state: "detached" });
  await call.refuse("PT404", "conversation_id: there is no such conversation");
  await page.getByRole("alert").getByText("There is no such conversation.").waitFor();
  await row.waitFor();
  await button.waitFor();
  await assertRows(page, ["Omar", "Maya"]);

  // A read of the row that began before the change takes back nothing.
  await talk.untilRead();
  const reads: Route[] = [];
  await page.route(/\/rest\/v1\/inbox\?.*&id=in\./, (route) => void reads.push(route), { times: 1 });
  await receive(talk, { Body: "Hello?" });
  await texts(page).getByText("Hello?").waitFor();
  await until(() => reads.length > 0);
  call = await hold(page, "no_reply_needed");
  await button.click();
  await row.waitFor({ state: "detached" });
  // The sentence goes with the next try.
  await page.getByRole("alert").waitFor({ state: "detached" });
  await until(call.isCalled);
  const read = page.waitForEvent("requestfinished", (request) => request === reads[0]!.request());
  await reads[0]!.continue();
  await read;
  await rendered(page);
  assert.equal(await row.count(), 0);
  await call.release();
  await until(async () => {
    const [stored] = await sql`select waiting_since from public.recruiting_conversations where id = ${talk.id}`;
    return stored!.waiting_since === null;
  });
  assert.equal(await row.count(), 0);
  await talk.untilRead();
  await cancelAndRetry(page, talk);
});

deskTest("a take-over from the bot shows at once, no event takes it back, and a refusal does", async (page) => {
  const marking = await hold(page, "read_conversation");
  const talk = await openOfTwo(page, "bot");
  await until(marking.isCalled);
  const takeOver = page.getByRole("button", { name: "Take over" });
  const taken = page.getByText("Assigned to you");
  const answers = page.getByText("The bot answers.");
  const takesOver = page.getByText("Sending takes over from the bot");
  const status = async () =>
    (await sql`select status from public.recruiting_conversations where id = ${talk.id}`)[0]!.status;
  let call = await hold(page, "assign_conversation");
  await answers.waitFor();
  await takesOver.waitFor();
  await takeOver.click();
  await taken.waitFor();
  await takesOver.waitFor({ state: "detached" });
  await call.refuse("PT404", "conversation_id: there is no such conversation");
  await page.getByRole("alert").getByText("There is no such conversation.").waitFor();
  await answers.waitFor();
  await talk.untilRead();

  call = await hold(page, "assign_conversation");
  await takeOver.click();
  await taken.waitFor();
  await until(call.isCalled);
  assert.equal(await status(), "bot");
  const reads = countReads(page, ONE_CONVERSATION);
  const marked = page.waitForEvent("requestfinished", (request) => /\/rpc\/read_conversation$/.test(request.url()));
  await marking.release();
  await marked;
  await rendered(page);
  // Requests keep their turns: what the mark makes worth reading is asked for before this text.
  await receive(talk, { Body: "Hello?" });
  await texts(page).getByText("Hello?").waitFor();
  assert.deepEqual(reads.urls, []);
  await talk.untilRead();
  assert.equal(await taken.count(), 1);
  await call.release();
  await until(async () => await status() === "escalated");
  // What the service has agreed to is read again, so that the list has what is stored.
  await until(() => reads.urls.length > 0);
  await taken.waitFor();
  await list(page).getByRole("link", { name: /Maya/ }).getByText("Hello?").waitFor();
  await page.getByRole("button", { name: "Hand to bot" }).click();
  await answers.waitFor();
  await until(async () => await status() === "bot");
});

/** Cancels a text, and tries one again: it stands as it was where that is refused. */
async function cancelAndRetry(page: Page, talk: Opened): Promise<void> {
  await sql`update public.service_numbers set status = 'paused' where phone = ${talk.service}`;
  await page.getByLabel("Text to Maya").fill("It is");
  await page.getByRole("button", { name: "Send" }).click();
  const held = texts(page).getByText("Held until the agency's number works again.");
  await held.waitFor();
  const cancel = texts(page).getByRole("button", { name: "Cancel this text" });
  let call = await hold(page, "cancel_text");
  await cancel.click();
  await texts(page).getByText("Not sent: it was cancelled.").waitFor();
  await call.refuse("PT409", "message_id: this text is being sent already");
  await texts(page).getByRole("alert").getByText("This text is being sent already.").waitFor();
  await cancel.waitFor();
  const cancelled = countReads(page, /\/recruiting_messages\?/);
  await cancel.click();
  await until(async () => (await outbox(talk))[0]!.state === "refused");
  await texts(page).getByText("Not sent: it was cancelled.").waitFor();
  await until(() => cancelled.urls.some((url) => /[?&]id=in\./.test(url)));
  await page.getByRole("button", { name: "Write it again" }).click();
  assert.equal(await page.getByLabel("Text to Maya").inputValue(), "It is");

  const fail = (reason: string) =>
    sql.begin(async (sql) => {
      await sql`update public.text_outbox set state = 'failed', reason = ${reason} where conversation_id = ${talk.id}`;
      // Only a status that changes is an event, and the text that was cancelled has failed already.
      for (const status of ["queued", "failed"]) {
        await sql`
          update public.recruiting_messages set status = ${status}
          where conversation_id = ${talk.id} and direction = 'outbound'`;
      }
    });
  await fail("30007");
  await texts(page).getByText("the carrier has taken it for spam").waitFor();
  const retry = texts(page).getByRole("button", { name: "Try again" });
  await retry.waitFor();
  await talk.untilRead();
  call = await hold(page, "retry_text");
  await retry.click();
  const sending = texts(page).getByText("Being sent");
  await sending.waitFor();
  await until(call.isCalled);
  await call.refuse("PT409", "message_id: this text was not sent");
  await texts(page).getByRole("alert").getByText("This text was not sent.").waitFor();
  await retry.waitFor();
  await fail("unconfirmed");
  await texts(page).getByText("It may have been sent").waitFor();
  await retry.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("If so, it comes a second time.").waitFor();
  await dialog.getByRole("button", { name: "Try again" }).click();
  await held.waitFor();
  await until(async () => (await outbox(talk))[0]!.state === "pending");
}
