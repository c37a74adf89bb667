import { sql } from "../support/client.ts";
import { deskTest, PHONE, picture, signIn } from "./harness.ts";
import { createTalk, createTexter, list, tell, type Texter } from "./talks.ts";

deskTest("an inbox at work looks as in the docs", async (page) => {
  const agent = await createTexter();
  const open = await createInbox(agent);
  await signIn(page, agent, `inbox/${open}`);
  await page.getByLabel("Text to Maya Ortiz").fill("Thursday at 4:30 it is. I will call this number.");
  // Read, so that three are unread.
  await page.getByRole("link", { name: "Inbox 3 unread" }).waitFor();
  await page.getByText("3 years in retail sales").waitFor();
  await list(page).getByText(/^Maya Ortiz$/).waitFor();
  await picture(page, "inbox");
});

deskTest("an inbox at work looks as in the docs on a phone", async (page) => {
  const agent = await createTexter();
  await createInbox(agent);
  await signIn(page, agent, "inbox");
  await page.getByText("Thursday after 4 would be perfect").waitFor();
  await page.getByText("Thursday after 4 would be perfect").click();
  await page.getByLabel("Text to Maya Ortiz").fill("Thursday at 4:30 it is.");
  await page.getByRole("link", { name: "Inbox 3 unread" }).waitFor();
  await picture(page, "inbox-phone");
}, PHONE);

deskTest("the queue looks as in the docs on a phone", async (page) => {
  const agent = await createTexter();
  await createInbox(agent);
  await sql`
    update public.recruiting_conversations set snoozed_until = now() - interval '2 minutes'
    where agency_id = ${agent.agency_id} and recruiting_lead_id in (
      select id from public.recruiting_leads where first_name = 'Grace')`;
  await signIn(page, agent, "inbox");
  await list(page).getByText("Snoozed until now").waitFor();
  await picture(page, "queue-phone");
}, { ...PHONE, viewport: { width: 390, height: 844 } });

/** People who do not exist, and what they have written. */
async function createInbox(agent: Texter): Promise<string> {
  await sql`update public.agencies set name = 'Lakeshore Life' where id = ${agent.agency_id}`;
  const maya = await createTalk(agent, "Maya", {
    last_name: "Ortiz",
    email: "maya.ortiz@example.com",
    city: "Aurora",
    state: "IL",
    answers: [{ question: "Do you hold a life insurance license?", answer: "Yes" }],
    vendor_fields: { job_title: "Life insurance agent", experience: "3 years in retail sales" },
  });
  await sql`
    insert into public.screening_answers (lead_id, question, value, said) values
      (${maya.lead_id}, 'licensed', '"yes"', 'Yes, life and health'),
      (${maya.lead_id}, 'states', '["IL", "IN"]', 'Illinois and Indiana')`;
  await tell(maya, [
    [
      "bot",
      "Hi Maya, this is the assistant of Lakeshore Life. Do you hold a life insurance license? Reply STOP to opt out.",
      1500,
    ],
    ["recruit", "Yes, life and health", 1488],
    ["bot", "Great. In which states?", 1487],
    ["recruit", "Illinois and Indiana", 1480],
    ["agent", "Hi Maya, Nora here. You have what we look for. When could we talk for 15 minutes?", 95],
    ["recruit", "Thanks Nora! I work mornings this week", 34],
    ["recruit", "Thursday after 4 would be perfect", 33],
  ]);
  await sql`
    update public.recruiting_messages set sent_by = ${agent.agent_id}
    where conversation_id = ${maya.id} and sender_type = 'agent'`;
  const others: [string, string, Parameters<typeof tell>[1]][] = [
    ["Devon", "Okafor", [["agent", "Does Tuesday at 10 work?", 200], ["recruit", "Yes! What should I bring?", 182]]],
    ["Ruth", "Lindqvist", [["recruit", "Is the position remote?", 61]]],
    ["Tomás", "Rivera", [["recruit", "Sorry, was driving. Call me any time now", 12]]],
    ["Grace", "Whitcombe-Abernathy", [["agent", "Welcome aboard, Grace. See you Monday.", 300]]],
    ["Sam", "Lee", [["bot", "Hi Sam, do you hold a life insurance license?", 2900]]],
  ];
  for (const [first_name, last_name, lines] of others) {
    await tell(await createTalk(agent, first_name, { last_name, state: "IL" }), lines);
  }
  return maya.id;
}
