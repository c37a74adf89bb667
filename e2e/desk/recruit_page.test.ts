/** The page of a recruit: what is done there. What it shows is in desk/ui/recruit_facts.test.tsx. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createAgentWithLead, signInNewAgent } from "../support/agents.ts";
import { ingest, PDF_BASE64 } from "../support/applications.ts";
import { createVendor, sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { createRecruits } from "./recruit_rows.ts";
import { deskTest, signIn, until } from "./harness.ts";
import { assertQueued, box, createColleague, createTalk, noteBox, saveNote, send, tell, type Texter } from "./talks.ts";

deskTest(
  "the page says whether a recruit may be texted, opens the resume, starts a conversation, and answers who waits",
  async (page) => {
    const agent = await createAgentWithLead();
    const phones = [newPhone(), newPhone(), newPhone()];
    const others = await createRecruits(
      agent,
      phones.slice(1).map((phone) => ({ first_name: "Ada", metadata: { phone } })),
    );
    const { body } = await ingest(await createVendor(), { first_name: "Ada", phone: phones[0], resume: PDF_BASE64 });
    await sql`
      update public.recruiting_leads
      set distribution = 'not_requested', order_id = null, distributed_at = null,
        agency_id = ${agent.agency_id}, agent_id = ${agent.agent_id}
      where id = ${body.id}`;
    const ids = [body.id as string, ...others];
    for (const [place, state] of ["opted_in", "opted_out"].entries()) {
      await sql`
        insert into public.text_consents (agency_id, phone, state, source)
        values (${agent.agency_id}, ${phones[place]!}, ${state}, 'keyword')`;
    }
    const WORDS = [["May be texted", "Text"], ["Opted out", "Note"], ["Call first", "Note"]] as const;
    const assertOpen = async (place: number) => {
      const [words, first] = WORDS[place]!;
      await page.locator(`dt:text-is("Texts") + dd`).getByText(words).waitFor();
      await page.getByRole("button", { name: first, exact: true, pressed: true }).waitFor();
      const called = page.getByRole("link", { name: "Call", exact: true }).and(page.locator(".primary"));
      assert.equal(await called.count(), words === "Call first" ? 1 : 0);
    };
    const open = async (place: number) => {
      await page.evaluate(`location.hash = "#/recruits/${ids[place]}"`);
      await assertOpen(place);
    };
    await signIn(page, agent, `recruits/${ids[0]}`);
    await assertOpen(0);
    const signed = page.context().waitForEvent("request", (request) => /\/sign\/resumes\/.*token=/.test(request.url()));
    const opened = page.waitForEvent("popup");
    await page.getByRole("button", { name: "Open the resume" }).click();
    const url = new URL((await signed).url());
    await opened;
    // It is shown, not downloaded, and the link soon ends.
    const response = await fetch(url);
    await response.body?.cancel();
    assert.equal(response.headers.get("content-disposition"), null);
    const { exp } = JSON.parse(atob(url.searchParams.get("token")!.split(".")[1]!));
    const seconds = exp - Date.now() / 1000;
    assert(seconds > 0 && seconds <= 60, `${seconds} s are left`);

    const text = page.getByRole("button", { name: "Start a conversation" });
    await text.click();
    await page.getByText("Your agency has no number to text from.").waitFor();
    const service = newPhone();
    await sql`insert into public.service_numbers (phone, agency_id) values (${service}, ${agent.agency_id})`;
    await text.click();
    await page.getByRole("textbox", { name: "Text to Ada" }).waitFor();
    const conversations = await sql`
      select assigned_agent_id from public.recruiting_conversations where recruiting_lead_id = ${ids[0]!}`;
    assert.deepEqual([...conversations], [{ assigned_agent_id: agent.agent_id }]);

    // A recruit that goes to another agent meanwhile is gone from the page.
    const colleague = await signInNewAgent(agent.agency_id);
    await open(1);
    await open(2);
    await page.getByRole("button", { name: "Text" }).click();
    await text.waitFor();
    await sql`update public.recruiting_leads set agent_id = ${colleague.agent_id} where id = ${ids[2]!}`;
    // Realtime may have taken it away before, and what is read of the recruit may say so too.
    await text.click({ timeout: 2_000 }).catch(() => {});
    const gone = page.getByText("This recruit is not yours any more.").or(page.getByText("There is no such recruit."));
    await gone.first().waitFor();
    await answerWaiting(page, { ...agent, service });
    await readOneRow(page, { ...agent, service });
  },
);

/** Answers and notes for a recruit who waits, who is a colleague's, in the agent's conversation. */
async function answerWaiting(page: Page, agent: Texter): Promise<void> {
  const talk = await createTalk(agent, "Maya");
  const { agent_id: colleague } = await createColleague(agent);
  await sql`update public.recruiting_leads set agent_id = ${colleague} where id = ${talk.lead_id}`;
  await tell(talk, [["agent", "Hi, Nora here.", 9], ["recruit", "Is this still open?", 3]]);
  await page.evaluate(`location.hash = "#/recruits/${talk.lead_id}"`);
  await page.getByText("waits 3 min").waitFor();
  const timeline = page.locator(".timeline");
  await timeline.getByText("Is this still open?").waitFor();
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
  await send(page).click();
  await assertQueued(page, talk, ["It is."]);
  await timeline.getByText("It is.").waitFor();
  assert.equal(await timeline.getByText("Delivered").count(), 0);
  await page.getByText("waits 3 min").waitFor({ state: "hidden" });
  const inbox = page.getByRole("link", { name: "Open in the inbox" });
  assert.equal(await inbox.getAttribute("href"), `#/inbox/all/${talk.id}`);
}

/** An event reads the one row of the timeline that it is about, however many are loaded. */
async function readOneRow(page: Page, agent: Texter): Promise<void> {
  const { lead_id } = await createTalk(agent, "Ada");
  await sql.begin(async (sql) => {
    // Without events: of so many, the page would read the whole list.
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into public.recruit_notes (recruiting_lead_id, agent_id, body, created_at)
      select ${lead_id}, ${agent.agent_id}, 'Note ' || n, now() - n * interval '1 hour' from generate_series(1, 60) n`;
  });
  await page.evaluate(`location.hash = "#/recruits/${lead_id}"`);
  const rows = page.locator(".timeline").getByRole("listitem");
  await until(async () => await rows.count() === 50);
  await page.locator(".timeline").getByRole("button", { name: "Show more" }).click();
  await until(async () => await rows.count() === 61);
  // The facts stay beside the rows.
  await page.evaluate("scrollTo(0, document.body.scrollHeight)");
  await rows.last().waitFor();
  assert((await page.locator(`dt:text-is("Received")`).boundingBox())!.y > 0);
  const isOfTimeline = ({ href }: URL) => href.includes("/recruit_timeline?");
  const reads: number[] = [];
  await page.route(isOfTimeline, async (route) => {
    const response = await route.fetch();
    // One that fails is repeated.
    if (response.ok()) reads.push((await response.json()).length);
    await route.fulfill({ response });
  });
  await sql`insert into public.recruit_stages (recruiting_lead_id, agency_id, agent_id, stage)
    values (${lead_id}, ${agent.agency_id}, ${agent.agent_id}, 'hired')`;
  await rows.first().getByText("set the stage: Hired").waitFor();
  await sql`insert into public.recruit_notes (recruiting_lead_id, agent_id, body, created_at)
    values (${lead_id}, ${agent.agent_id}, 'In between', now() - interval '90 minutes')`;
  await rows.getByText("In between").waitFor();
  const words = await rows.locator(".words").allInnerTexts();
  assert.deepEqual(words.slice(0, 3), ["Note 1", "In between", "Note 2"]);
  assert.equal(await rows.count(), 63);
  await page.unrouteAll({ behavior: "wait" });
  assert.deepEqual(reads, [1, 1]);
}
