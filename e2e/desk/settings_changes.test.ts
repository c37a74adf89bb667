import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { signInNewAgent } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { assertAccessible, deskTest, signIn, until } from "./harness.ts";
import { createTeam } from "./teams.ts";

/** What is said in the corner, which is taken back there too. */
function toast(page: Page, words: string) {
  return page.getByRole("status").locator(".toast").filter({ hasText: words });
}

/** Asserts that what is wrong with a field stands there, and that the field has the focus. */
async function assertProblem(field: Locator, words: string): Promise<void> {
  await field.and(field.page().locator("[aria-invalid]:focus")).waitFor();
  const described = (await field.getAttribute("aria-describedby"))!.split(" ")[0]!;
  assert.equal(await field.page().locator(`[id="${described}"]`).innerText(), words);
}

async function choose(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole("button", { name: `More about ${name}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

deskTest(
  "a manager changes people, the agency and the bot, takes it back, and the history has all of it",
  async (page) => {
    const team = await createTeam();
    await signIn(page, team, "settings");
    const row = (name: string) => page.getByRole("row", { name });
    await choose(page, "Ada Byron", "Away until…");
    const away = page.getByRole("dialog", { name: "Ada Byron" });
    await away.getByLabel("Away until").fill("2099-12-28");
    await away.getByRole("button", { name: "Save" }).click();
    await row("Ada Byron").getByRole("cell", { name: "2099-12-28" }).waitFor();
    await choose(page, "Ada Byron", "Make a manager");
    await row("Ada Byron").getByRole("cell", { name: "manager" }).waitFor();

    await page.getByRole("button", { name: "Invite an agent" }).click();
    const drawer = page.getByRole("dialog", { name: "Invite an agent" });
    await drawer.locator("[name=first_name]:focus").waitFor();
    await drawer.locator("[name=first_name]").fill("Ines");
    await drawer.getByLabel("E-mail").fill("nobody");
    await drawer.getByRole("button", { name: "Send the invitation" }).click();
    await assertProblem(drawer.getByLabel("E-mail"), "Must be an e-mail address.");
    assert.equal(await drawer.getByRole("alert").count(), 0);
    await drawer.getByText("An agent gets new recruits at once, before the first sign-in.").waitFor();
    await assertAccessible(page);
    await drawer.getByLabel("E-mail").fill(`${crypto.randomUUID()}@example.com`);
    await drawer.getByRole("button", { name: "Send the invitation" }).click();
    await row("Ines").getByRole("cell", { name: "invited" }).waitFor();

    await choose(page, "Ada Byron", "Leave…");
    const question = page.getByRole("dialog", { name: "Leave: Ada Byron" });
    await question.getByText("There are 0 recruits, 0 sales leads and 0 conversations.").waitFor();
    await question.getByLabel("All of that goes to").selectOption({ label: "Nora Quist" });
    await question.getByRole("button", { name: "Leave" }).click();
    await row("Ada Byron").getByRole("cell", { name: "deactivated" }).waitFor();
    await assertAccessible(page);

    const tabs = page.getByRole("navigation", { name: "Settings" });
    await tabs.getByRole("link", { name: "Name and hours" }).click();
    const agency = page.getByRole("form", { name: "The agency" });
    // Another manager is faster: the first Save says who, the second one stores.
    const other = await signInNewAgent(team.agency_id, "manager");
    await sql`update public.agents set first_name = 'Olga', last_name = null where id = ${other.agent_id}`;
    const hours = { agency_id: team.agency_id, changes: { opens_at: "07:00" } };
    assert.equal((await other.client.rpc("change_agency", hours)).error, null);
    await agency.getByLabel("Opens at").fill("08:15");
    await agency.getByRole("button", { name: "Save" }).click();
    await assertProblem(agency.getByLabel("Opens at"), "Olga has changed it meanwhile.");
    await agency.getByLabel("Time zone").selectOption("America/Denver");
    await agency.getByRole("button", { name: "Save" }).click();
    await toast(page, "The agency is changed.").waitFor();
    const stored = async () =>
      (await sql`select timezone || ' ' || opens_at as it from public.agencies where id = ${team.agency_id}`)[0]!.it;
    assert.equal(await stored(), "America/Denver 08:15:00");
    await toast(page, "The agency is changed.").getByRole("button", { name: "Undo" }).click();
    await until(async () => !(await stored()).includes("Denver"));
    await assertAccessible(page);

    await tabs.getByRole("link", { name: "History" }).click();
    const history = page.getByRole("table", { name: "History" });
    await history.getByRole("row", { name: "Nora Quist added Ines" }).waitFor();
    await history.getByRole("row", { name: "Nora Quist changed the opening time of the agency from 07:00 to 08:15" })
      .waitFor();
    await assertAccessible(page);
    await writeScript(page, team.agency_id);
  },
);

/** Writes a script, tries it and publishes it, and loses none without a question. */
async function writeScript(page: Page, agency_id: string): Promise<void> {
  const tabs = page.getByRole("navigation", { name: "Settings" });
  await tabs.getByRole("link", { name: "Bot" }).click();
  const bot = page.getByRole("region", { name: "Bot" });
  await bot.getByText("The bot is off").waitFor();
  const asked: string[] = [];
  let isLost = false;
  page.on("dialog", async (dialog) => {
    asked.push(dialog.type());
    await (isLost ? dialog.accept() : dialog.dismiss());
  });
  const opening = page.getByLabel("Opening");
  await opening.fill("Hello, this is {agency}. STOP ends this.");
  await tabs.getByRole("link", { name: "Quick replies" }).click();
  await page.getByRole("link", { name: "Home" }).first().click();
  await page.evaluate("history.back()");
  await page.evaluate("location.reload()").catch(() => {});
  await until(() => asked.length === 4);
  assert.deepEqual(asked, ["confirm", "confirm", "confirm", "beforeunload"]);
  assert.equal(await opening.inputValue(), "Hello, this is {agency}. STOP ends this.");

  const script = bot.getByRole("form", { name: "Script" });
  const question = (n: number) => script.getByRole("listitem", { name: `Question ${n}` });
  const field = (n: number, name: string) => question(n).getByLabel(name, { exact: true });
  await question(1).locator("summary").click();
  await field(1, "Question").fill("Do you have a broker's license?");
  await script.getByRole("button", { name: "Add a question" }).click();
  await field(2, "Question").and(page.locator(":focus")).fill("Full or part time?");
  await field(2, "Kind of answer").selectOption("One of several answers");
  for (const [n, name] of ["Full time", "Part time"].entries()) {
    await field(2, "Answer").nth(n).fill(name);
    await question(2).getByLabel("Other words for it").nth(n).fill(name.slice(0, 4).trim());
  }
  await field(2, "Asked").selectOption("Only after “no” to 1. Do you have a broker's license?");
  // Enter publishes nothing: what is published below is the first version.
  await field(2, "Name in lists and spreadsheets").press("Enter");
  const talk = bot.getByRole("list", { name: "The conversation" });
  const say = async (words: string, read: string) => {
    await bot.getByLabel("A recruit's text").fill(words);
    await page.keyboard.press("Enter");
    await talk.getByText(read).waitFor();
  };
  await say("Hello", "Do you have a broker's license?");
  await say("nope", "Read as: licensed = no");

  await script.getByLabel("Opening").fill("Hi, this is {agency}.");
  await question(2).getByRole("button", { name: "Move Question 2 up" }).press("Enter");
  await page.locator(":focus", { hasText: "Move Question 1 up" }).waitFor();
  await script.getByRole("button", { name: "Publish" }).click();
  await question(1).getByText('Has "licensed", which is not an earlier question.').waitFor();
  assert.equal(await script.getByLabel("Opening").evaluate((field) => field.matches("[aria-invalid]:focus")), true);
  await script.getByText("Must have the word STOP.").waitFor();
  await assertAccessible(page);
  await script.getByLabel("Opening").fill("Hi, this is {agency}. STOP ends this.");
  await question(1).getByRole("button", { name: "Move Question 1 down" }).press("Enter");
  await page.locator(":focus", { hasText: "Move Question 2 down" }).waitFor();
  await script.getByRole("button", { name: "Publish" }).click();
  await bot.getByText("Version 1 is on").waitFor();
  const [published] = await sql`select script from public.bot_scripts where agency_id = ${agency_id}`;
  assert.deepEqual(published!.script.questions, [
    { id: "licensed", ask: "Do you have a broker's license?", answer: "yes_no" },
    {
      id: "question_2",
      ask: "Full or part time?",
      answer: { choice: { full_time: ["Full"], part_time: ["Part"] } },
      only_if: { licensed: "no" },
    },
  ]);

  await question(2).getByRole("button", { name: "Remove Question 2" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await question(2).waitFor({ state: "detached" });
  isLost = true;
  await bot.getByRole("button", { name: "Show version 1" }).click();
  await question(2).waitFor();
  await bot.getByRole("button", { name: "Switch off" }).click();
  await page.getByRole("dialog", { name: "Switch off" }).getByRole("button", { name: "Switch off" }).click();
  await bot.getByText("The bot is off").waitFor();

  // What is published, or was shown anew, cannot be lost.
  await tabs.getByRole("link", { name: "History" }).click();
  await page.getByRole("table", { name: "History" }).getByRole("row", {
    name: "Nora Quist published version 1 of the bot",
  })
    .waitFor();
  assert.equal(asked.length, 5);
}
