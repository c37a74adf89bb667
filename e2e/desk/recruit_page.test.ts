import assert from "node:assert/strict";
import { createAgentWithLead, signInNewAgent } from "../support/agents.ts";
import { ingest, PDF_BASE64 } from "../support/applications.ts";
import { createVendor, PDF, sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { createRecruits, rows } from "./recruit_rows.ts";
import { assertAccessible, deskTest, signIn, until } from "./harness.ts";
import { assertQueued, box, createTalk, createTexter, noteBox, saveNote, send, tell } from "./talks.ts";

deskTest("the card of a recruit shows what is known, as text alone", async (page) => {
  const agent = await createAgentWithLead();
  const [id] = await createRecruits(agent, [{
    first_name: "Grace",
    metadata: {
      last_name: "Okoye",
      phone: "+13125550177",
      email: "grace@example.com",
      city: "Chicago",
      zip: "60614",
      state: "IL",
      answers: [{ question: "Are you licensed?", answer: ["TX", "OK"] }, { question: "Why?", answer: null }],
      vendor_fields: {
        utm: { campaign_name: "<img src=x onerror=alert(1)>" },
        schools: [null, { name: "UIC", graduated: true }],
        nothing: null,
        // As the parser "generic" leaves them. The database gives them back with the answer first.
        questionnaire: [{ question: "How many years?", answer: 3 }, { question: "When?", answer: "2026-09-01" }],
        "Do you own a car?": "yes",
        visited_at: "2026-07-29T08:00:00.123Z",
        source_time: "2026-07-29 08:00:00",
        appliedOnMillis: 1785312000123,
      },
    },
  }]);
  await sql`
    insert into public.screening_answers (lead_id, question, value, said)
    values (${id!}, 'hours', '"full_time"', 'full-time pls'), (${id!}, 'states', '[]', 'none')`;
  await signIn(page, agent, `recruits/${id}`);
  const card = page.getByRole("main");
  await card.getByRole("heading", { name: "Grace Okoye" }).waitFor();
  for (
    const [term, definition] of [
      ["Phone", "(312) 555-0177"],
      ["E-mail", "grace@example.com"],
      ["Location", "Chicago, IL 60614"],
      ["Hours", "Full time full-time pls"],
      ["States", "None none"],
      ["Are you licensed?", "TX, OK"],
      ["Why?", "not answered"],
      ["Campaign name", "<img src=x onerror=alert(1)>"],
      ["Graduated", "Yes"],
      ["How many years?", "3"],
      ["When?", "Sep 1, 2026"],
      ["Do you own a car?", "yes"],
      ["Visited at", "Jul 29, 3:00 AM CDT"],
      ["Source time", "Jul 29, 2026, 8:00 AM"],
      ["Applied on millis", "Jul 29, 3:00 AM CDT"],
    ] as const
  ) {
    const shown = card.locator(`dt:text-is(${JSON.stringify(term)}) + dd`);
    assert.equal((await shown.innerText()).replace(/\s+/g, " "), definition, term);
  }
  assert.equal(await card.getByText("Nothing").count(), 0);
  assert.equal(await card.locator("dt", { hasText: "Resume" }).count(), 0);
  assert.equal(await card.getByText(/^(Question|Answer|Questionnaire)$/).count(), 0);
  assert.equal(await card.getByRole("link", { name: "Call" }).getAttribute("href"), "tel:+13125550177");
  const address = card.getByRole("link", { name: "grace@example.com" });
  assert.equal(await address.getAttribute("href"), "mailto:grace@example.com");
  await assertAccessible(page);
});

deskTest("what is no phone number and no address makes no link", async (page) => {
  const agent = await createAgentWithLead();
  const [id] = await createRecruits(agent, [{
    first_name: "Odd",
    metadata: { phone: "555-CALL", email: "a@example.com?bcc=b@example.com" },
  }]);
  await signIn(page, agent, `recruits/${id}`);
  await page.getByText("a@example.com?bcc=b@example.com").waitFor();
  assert.equal(await page.getByRole("main").getByRole("link").count(), 1);
  await page.getByRole("button", { name: "Text" }).click();
  await page.getByRole("button", { name: "Start a conversation" }).click();
  await page.getByText("This recruit has no phone number that gets texts.").waitFor();
});

deskTest("the list and the page say whether a recruit may be texted", async (page) => {
  const agent = await createAgentWithLead();
  const phones = [newPhone(), newPhone(), newPhone()];
  const ids = await createRecruits(agent, phones.map((phone) => ({ first_name: "Ada", metadata: { phone } })));
  for (const [place, state] of ["opted_in", "opted_out"].entries()) {
    await sql`
      insert into public.text_consents (agency_id, phone, state, source)
      values (${agent.agency_id}, ${phones[place]!}, ${state}, 'keyword')`;
  }
  const WORDS = [["May be texted", "Text"], ["Opted out", "Note"], ["Call first", "Note"]] as const;
  await signIn(page, agent, "recruits");
  for (const [place, [words]] of WORDS.entries()) {
    await rows(page).nth(place).waitFor();
    // The list says only who may not.
    assert.equal(await rows(page).nth(place).getByText(words).count(), place === 0 ? 0 : 1);
  }
  for (const [place, [words, first]] of WORDS.entries()) {
    await page.evaluate(`location.hash = "#/recruits/${ids[place]}"`);
    await page.locator(`dt:text-is("Texts") + dd`).getByText(words).waitFor();
    await page.getByRole("button", { name: first, exact: true, pressed: true }).waitFor();
    const called = page.getByRole("link", { name: "Call", exact: true }).and(page.locator(".primary"));
    assert.equal(await called.count(), words === "Call first" ? 1 : 0);
  }
});

deskTest("a recruit who waits says since when beside the name, and is answered and noted there", async (page) => {
  const agent = await createTexter();
  const talk = await createTalk(agent, "Maya");
  await tell(talk, [["agent", "Hi, Nora here.", 9], ["recruit", "Is this still open?", 3]]);
  await signIn(page, agent, `recruits/${talk.lead_id}`);
  await page.getByText("waits 3 min").waitFor();
  const timeline = page.locator(".timeline");
  await timeline.getByText("Is this still open?").waitFor();
  await assertAccessible(page);
  // What was read here is read in the inbox.
  await until(async () =>
    (await sql`select from public.conversation_reads where conversation_id = ${talk.id}`).length === 1
  );

  await page.getByRole("button", { name: "Note", exact: true }).click();
  await noteBox(page).fill("Asks whether it is open");
  await saveNote(page).click();
  await timeline.getByText("noted: Asks whether it is open").waitFor();
  await page.getByRole("button", { name: "Text", exact: true }).click();
  await box(page).fill("It is.");
  await assertAccessible(page);
  await send(page).click();
  await assertQueued(page, talk, ["It is."]);
  await timeline.getByText("It is.").waitFor();
  assert.equal(await timeline.getByText("Delivered").count(), 0);
  await page.getByText("waits 3 min").waitFor({ state: "hidden" });
  await page.getByRole("link", { name: "Open in the inbox" }).click();
  await page.waitForURL(`**/#/inbox/all/${talk.id}`);
});

deskTest("a resume opens in a tab by a link that needs no session and soon ends", async (page) => {
  const agent = await createAgentWithLead();
  const { body } = await ingest(await createVendor(), { first_name: "Ada", resume: PDF_BASE64 });
  await sql`
    update public.recruiting_leads
    set distribution = 'not_requested', order_id = null, distributed_at = null,
      agency_id = ${agent.agency_id}, agent_id = ${agent.agent_id}
    where id = ${body.id}`;
  await signIn(page, agent, `recruits/${body.id}`);
  const signed = page.context().waitForEvent("request", (request) => /\/sign\/resumes\/.*token=/.test(request.url()));
  const opened = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Open the resume" }).click();
  const url = new URL((await signed).url());
  await opened;
  const response = await fetch(url);
  assert.deepEqual(new Uint8Array(await response.arrayBuffer()), PDF);
  assert.equal(response.headers.get("content-type"), "application/pdf");
  assert.equal(response.headers.get("content-disposition"), null);
  const { exp } = JSON.parse(atob(url.searchParams.get("token")!.split(".")[1]!));
  const seconds = exp - Date.now() / 1000;
  assert(seconds > 0 && seconds <= 60, `${seconds} s are left`);
  // The page is still there.
  await page.getByRole("heading", { name: "Ada", exact: true }).waitFor();
});

deskTest("a conversation is started on the page, one of them however often", async (page) => {
  const agent = await createAgentWithLead();
  const [id] = await createRecruits(agent, [{ first_name: "Ada", metadata: { phone: newPhone() } }]);
  await signIn(page, agent, `recruits/${id}`);
  await page.getByRole("button", { name: "Text" }).click();
  const text = page.getByRole("button", { name: "Start a conversation" });
  await text.click();
  await page.getByText("Your agency has no number to text from.").waitFor();
  await assertAccessible(page);

  await sql`insert into public.service_numbers (phone, agency_id) values (${newPhone()}, ${agent.agency_id})`;
  await page.context().setOffline(true);
  await text.click();
  await page.getByText("No connection.").waitFor();
  await page.context().setOffline(false);
  await text.click();
  await page.getByRole("textbox", { name: "Text to Ada" }).waitFor();
  const conversations = await sql`
    select assigned_agent_id from public.recruiting_conversations where recruiting_lead_id = ${id!}`;
  assert.deepEqual([...conversations], [{ assigned_agent_id: agent.agent_id }]);
});

deskTest("an agent who was given the conversation of a colleague's recruit writes in it on the page", async (page) => {
  const owner = await createAgentWithLead();
  const [ada] = await createRecruits(owner, [{ first_name: "Ada", metadata: { phone: newPhone() } }]);
  const agent = await signInNewAgent(owner.agency_id);
  await sql`
    insert into public.recruiting_conversations (
      recruiting_lead_id, agency_id, recruit_phone, service_phone, status, assigned_agent_id
    )
    values (${ada!}, ${owner.agency_id}, ${newPhone()}, ${newPhone()}, 'escalated', ${agent.agent_id})`;
  await signIn(page, agent, `recruits/${ada}`);
  await page.getByRole("button", { name: "Text" }).click();
  await page.getByRole("textbox", { name: "Text to Ada" }).waitFor();
});

deskTest("a recruit that goes to another agent meanwhile is gone from the card", async (page) => {
  const agent = await createAgentWithLead();
  const colleague = await signInNewAgent(agent.agency_id);
  const [id] = await createRecruits(agent, [{ first_name: "Ada", metadata: { phone: newPhone() } }]);
  await signIn(page, agent, `recruits/${id}`);
  await page.getByRole("button", { name: "Text" }).click();
  const text = page.getByRole("button", { name: "Start a conversation" });
  await text.waitFor();
  await sql`update public.recruiting_leads set agent_id = ${colleague.agent_id} where id = ${id!}`;
  // Realtime may have taken it away before, and what is read of the recruit may say so too.
  await text.click({ timeout: 2_000 }).catch(() => {});
  const gone = page.getByText("This recruit is not yours any more.").or(page.getByText("There is no such recruit."));
  await gone.first().waitFor();
  await page.reload();
  await page.getByText("There is no such recruit.").waitFor();
});
