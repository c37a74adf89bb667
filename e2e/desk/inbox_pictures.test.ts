/** The inbox of the seed's agent, as the docs show it and as whoever signs in after `npm start` sees it. */
import { sql } from "../support/client.ts";
import { deskTest, PHONE, picture, signIn, until } from "./harness.ts";
import { list, texts } from "./talks.ts";

const JAMES = { email: "james.okafor@example.com", password: "lead-intake-local" };
const MARCUS = "40000002-0000-4000-8000-000000000002";

deskTest("the inbox of the seed looks as in the docs", async (page) => {
  await signIn(page, JAMES, `inbox/${MARCUS}`);
  await page.getByLabel("Text to Marcus Bell").fill("Only your license number. See you Tuesday!");
  await page.getByText("3 years in retail sales").waitFor();
  await list(page).getByText("Ruth Lindqvist").waitFor();
  await page.getByRole("link", { name: "Inbox 2 unread" }).waitFor();
  await until(async () => await page.locator(".skeleton").count() === 0);
  await picture(page, "inbox");
});

deskTest("the inbox of the seed looks as in the docs on a phone", async (page) => {
  await signIn(page, JAMES, "inbox");
  await list(page).getByText("Ruth Lindqvist").waitFor();
  await page.evaluate(`location.hash = "#/inbox/${MARCUS}"`);
  await page.getByLabel("Text to Marcus Bell").fill("Only your license number.");
  await texts(page).getByText("Should I bring anything?").waitFor();
  await picture(page, "inbox-phone");
}, PHONE);

deskTest("the queue looks as in the docs on a phone", async (page) => {
  await sql`
    update public.recruiting_conversations c set snoozed_until = now() - interval '2 minutes'
    from public.recruiting_leads l where l.id = c.recruiting_lead_id and l.vendor_lead_id = 'seed-3'`;
  await signIn(page, JAMES, "inbox");
  await list(page).getByText("Snoozed until now").waitFor();
  await picture(page, "queue-phone");
}, { ...PHONE, viewport: { width: 390, height: 844 } });
