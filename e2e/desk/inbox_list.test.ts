import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sql } from "../support/client.ts";
import { eventually } from "../support/processes.ts";
import { receive } from "../support/sms.ts";
import { assertAccessibleInDarkToo, deskTest, signIn } from "./harness.ts";
import {
  assertRows,
  box,
  createColleague,
  createTalk,
  createTexter,
  list,
  openFilters,
  openSearch,
  signInJoined,
  tell,
  type Texter,
  texts,
} from "./talks.ts";
import { wake } from "./tokens.ts";

/** A read of the list of conversations, or of some of its rows. */
const OF_LIST = /\/rest\/v1\/inbox\?/;

deskTest("the longest wait comes first, a search covers all, and earlier texts load on request", async (page) => {
  const agent = await createTexter();
  const devon = await createTalk(agent, "Devon");
  const sam = await createTalk(agent, "Sam");
  for (
    const [talk, minutes] of [[await createTalk(agent, "Ruth"), 10], [devon, 1500], [
      await createTalk(agent, "Grace"),
      61,
    ]] as const
  ) await tell(talk, [["recruit", "Hello", minutes]]);
  await tell(sam, [["recruit", "Hi", 30], ["bot", "Hello", 5]]);
  await signIn(page, agent, "inbox");
  await assertRows(page, ["Devon", "Grace", "Ruth"]);
  const marks = await list(page).locator(".since").evaluateAll((all) =>
    all.map((mark) => [(mark as { innerText?: string }).innerText, (mark as { className?: string }).className])
  );
  assert.deepEqual(marks, [
    ["waits for\n1 day", "since is-bad"],
    ["waits for\n1 h", "since is-warn"],
    ["waits for\n10 min", "since is-info"],
  ]);
  // The first of them is shown beside the list, and stays unread.
  await page.locator(".thread").getByRole("heading", { name: "Devon" }).waitFor();
  await texts(page).getByText("Hello").waitFor();
  await list(page).getByRole("link", { name: /Devon.*unread/ }).waitFor();
  await assertAccessibleInDarkToo(page);
  // The rail counts what Waiting has.
  await list(page).getByRole("button", { name: "Waiting 3" }).waitFor();
  await page.getByRole("link", { name: "Inbox 3 waiting" }).waitFor();
  assert.equal(await page.title(), "(3) Inbox – Desk");

  // Who writes there has opened it.
  await box(page, "Devon").click();
  await page.waitForURL(`**/inbox/waiting/${devon.id}`);
  await openFilters(page);
  await list(page).getByLabel("Unread only").check();
  await page.keyboard.press("Escape");
  await assertRows(page, ["Grace", "Ruth"]);

  const search = await openSearch(page);
  await search.fill("devon");
  await list(page).getByText("Nothing found.").waitFor();
  await list(page).getByText("Only unread conversations were searched.").waitFor();
  await list(page).getByRole("button", { name: "Search all" }).click();
  await assertRows(page, ["Devon"]);
  await search.fill("sam");
  await assertRows(page, ["Sam"]);
  await list(page).getByRole("button", { name: "End the search" }).click();
  assert.equal(await list(page).getByLabel("Unread only").isChecked(), false);
  await assertRows(page, ["Devon", "Grace", "Ruth"]);
  await list(page).getByRole("button", { name: "Waiting", pressed: true }).waitFor();
  await readEarlier(page, agent);
});

/** Reads a long conversation. What comes while nobody looks stays unread. */
async function readEarlier(page: Page, agent: Texter): Promise<void> {
  const talk = await createTalk(agent);
  await tell(talk, Array.from({ length: 70 }, (_, place) => ["recruit", `Text ${place}.`, 5000 - place]));
  await page.evaluate(`location.hash = "#/inbox/${talk.id}"`);
  await texts(page).getByText("Text 69.").waitFor();
  assert.equal(await texts(page).getByText("Text 19.").count(), 0);
  await texts(page).getByRole("button", { name: "Show earlier" }).click();
  await texts(page).getByText("Text 0.", { exact: true }).waitFor();
  assert.equal(await texts(page).getByRole("button", { name: "Show earlier" }).count(), 0);

  // A user who has scrolled up is notified of a new text and keeps the position.
  const read = texts(page).getByText("Text 30.", { exact: true });
  await read.scrollIntoViewIfNeeded();
  const place = async () => (await read.boundingBox())!.y;
  const before = await place();
  await receive(talk, { Body: "A new one" });
  await page.getByRole("button", { name: "New text below" }).waitFor();
  assert(Math.abs(await place() - before) < 4);
  const unread = list(page).getByRole("link", { name: /Maya.*unread/ });
  await unread.waitFor();
  await page.getByRole("button", { name: "New text below" }).click();
  await unread.waitFor({ state: "detached" });

  await page.evaluate("document.hasFocus = () => false; dispatchEvent(new Event('blur'))");
  await receive(talk, { Body: "Anybody?" });
  await texts(page).getByText("Anybody?").waitFor();
  await unread.waitFor();
  await page.evaluate("document.hasFocus = () => true; dispatchEvent(new Event('focus'))");
  await unread.waitFor({ state: "detached" });
}

deskTest("an agent who has 500 conversations sees the first at once, and gets to the last", async (page) => {
  const agent = await createTexter();
  await sql.begin(async (sql) => {
    // Without triggers. They would lock the consents of all these recruits in any order, and so deadlock with a text of
    // another test.
    await sql`set local session_replication_role = replica`;
    await sql`
      with vendor as (
        insert into public.vendors (slug, name) values ('test-' || gen_random_uuid(), 'A vendor') returning id
      ), numbered as (
        select n, gen_random_uuid() as lead_id, '+1415' || (2000000 + n) as phone from generate_series(1, 500) n
      ), leads as (
        insert into public.recruiting_leads
          (id, vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id)
        select lead_id, vendor.id, 'Recruit ' || n, jsonb_build_object('phone', phone), 'not_requested', ${agent.agency_id},
          ${agent.agent_id}
        from numbered, vendor
      ), conversations as (
        insert into public.recruiting_conversations (agency_id, recruiting_lead_id, recruit_phone, service_phone, status,
          assigned_agent_id, last_message_at, last_text_at, waiting_since)
        select ${agent.agency_id}, lead_id, phone, ${agent.service}, 'escalated', ${agent.agent_id},
          now() - n * interval '10 ms', now() - n * interval '10 ms', now() - n * interval '10 ms'
        from numbered returning id, last_text_at
      )
      insert into public.recruiting_messages (conversation_id, direction, sender_type, body, created_at)
      select id, 'inbound', 'recruit', 'Is this still open?', last_text_at from conversations`;
  });
  await sql`analyze public.recruiting_conversations, public.recruiting_messages, public.recruiting_leads`;
  const rows = list(page).getByRole("listitem");
  const begun = performance.now();
  await signIn(page, agent, "inbox");
  await list(page).getByText("Recruit 500").waitFor();
  const took = performance.now() - begun;
  console.log(`first view of 500 conversations: ${Math.round(took)} ms`);
  assert(took < 5_000, `${took} ms`);
  await page.getByRole("link", { name: "Inbox 99+ waiting" }).waitFor();

  // In the page itself, where it takes a tenth of the time.
  await page.evaluate(`new Promise((resolve) => {
    const timer = setInterval(() => {
      const more = document.querySelector(".more");
      if (more === null) resolve(clearInterval(timer));
      else if (more.ariaDisabled !== "true") more.click();
    }, 20);
  })`);
  // The first row has the focus, and stays in its place while the last is looked at.
  const first = rows.filter({ hasText: "Recruit 500" });
  await first.getByRole("link").focus();
  await page.evaluate("document.querySelector('.list').scrollTo(0, 1e9)");
  const last = rows.filter({ has: page.getByText(/^Recruit 1,/) });
  await last.waitFor();
  assert.equal(await last.getAttribute("aria-posinset"), "500");
  assert.equal(await last.getAttribute("aria-setsize"), "500");
  await first.locator("a:focus").waitFor();
  assert.ok(await rows.count() < 100, `${await rows.count()} rows are rendered`);

  // Each minute reads it again.
  let reads = 0;
  page.on("request", (request) => reads += Number(OF_LIST.test(request.url())));
  const readToLast = page.waitForResponse(async (response) =>
    OF_LIST.test(response.url()) && (await response.text().catch(() => "")).includes('"Recruit 1"')
  );
  await wake(page);
  await readToLast;
  assert(reads > 3 && reads < 8, `${reads} requests`);

  // An event reads the one conversation that it names.
  let [bytes, requests] = [0, 0];
  const read: number[] = [];
  await page.route(({ pathname }) => pathname.includes("/rest/v1/"), async (route) => {
    const response = await route.fetch();
    requests++;
    bytes += (await response.body()).length;
    // One that is refused, because many are asked at once, is asked again.
    if (response.ok() && OF_LIST.test(response.url())) read.push((await response.json()).length);
    await route.fulfill({ response });
  });
  // What the first event makes the page read has come when the second is shown: the page reads for one after the other.
  for (const words of ["The newest words", "Still newer words"]) {
    await receive({ id: "", recruit: "+14152000002", service: agent.service }, { Body: words });
    await list(page).getByText(words).waitFor();
  }
  await page.unrouteAll({ behavior: "wait" });
  console.log(`two events beside 500 rows: ${requests} requests, ${Math.round(bytes / 1000)} kB`);
  // The service notifies of a text in two events, which may be read for one by one.
  assert(read.length <= 4 && read.every((rows) => rows === 1), `rows: ${read}`);
  assert(requests < 16 && bytes < 100_000, `${requests} requests, ${bytes} bytes`);
  // Else each of them would be an alert of which somebody is notified.
  await sql`update public.recruiting_conversations set waiting_since = null where agency_id = ${agent.agency_id}`;
});

deskTest("a list that heard of changes one by one is as one that is read anew", async (page) => {
  const agent = await createTexter();
  const omar = await createColleague(agent);
  const talks = await Promise.all(Array.from({ length: 60 }, async (_, n) => {
    const talk = await createTalk(agent, `Recruit ${n}`);
    await tell(talk, [["recruit", `Text ${n}`, 1000 - n]]);
    return talk;
  }));
  // Only rows that show are rendered.
  await page.setViewportSize({ width: 1280, height: 4_800 });
  await signInJoined(page, agent, "inbox");
  for (const order of ["All", "Waiting"]) {
    await list(page).getByRole("button", { name: order }).click();
    await list(page).getByRole("button", { name: order, pressed: true }).waitFor();
    // Until then it has the rows of the other order.
    await list(page).locator(".list[aria-busy=false]").waitFor();
    await list(page).getByRole("listitem").nth(49).waitFor();
    // One that is shown and one that is not, in either order.
    for (const n of [3, 58]) await receive(talks[n]!, { Body: `${order} ${n}` });
    await receive(talks[20]!, { Body: "STOP" });
    const [given, answered] = order === "All" ? [talks[40]!, talks[25]!] : [talks[41]!, talks[26]!];
    await sql`update public.recruiting_leads set agent_id = ${omar.agent_id} where id = ${given.lead_id}`;
    await sql`
      update public.recruiting_conversations set assigned_agent_id = ${omar.agent_id} where id = ${given.id}`;
    await sql`update public.recruiting_conversations set waiting_since = null where id = ${answered.id}`;
    await receive(await createTalk(agent, `Somebody new ${order}`), { Body: `A first text ${order}` });
    const rows = agent.client.from("inbox").select("name, last_body");
    const { data } = await (order === "All"
      ? rows.order("last_text_at", { ascending: false })
      : rows.is("is_due", true).eq("agent_id", agent.agent_id).order("due_since")).order("id").limit(48);
    const stored = data!.flatMap(({ name, last_body }) => [name, last_body]).join("\n");
    await eventually(20, async () => {
      const shown = await list(page).locator(".name bdi, .last").allTextContents();
      assert.equal(shown.slice(0, 96).join("\n"), stored);
    });
  }
});
