import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { createAgentWithLead } from "../support/agents.ts";
import { sql } from "../support/client.ts";
import { assertAccessibleInDarkToo, chromium, DESK, deskTest, hasChromium, PHONE, signIn, until } from "./harness.ts";

type Agent = Awaited<ReturnType<typeof createAgentWithLead>>;

/** Signs an agent in, who then presents to the one lead that there is. */
async function present(page: Page, agent: Agent): Promise<Page> {
  await signIn(page, agent, "sales");
  return await openPopout(page);
}

async function openPopout(page: Page): Promise<Page> {
  const popup = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Present to" }).click();
  const popout = await popup;
  // It has read its config. Before, it can be filled in, but would say without a network that it cannot be opened.
  await popout.getByRole("button", { name: "Submit", disabled: false }).waitFor();
  return popout;
}

async function submit(popout: Page): Promise<void> {
  await popout.getByRole("button", { name: "Submit" }).click();
}

/** Waits until these activities of a lead are stored, in this order, and no other. */
async function assertActivities(lead_id: string, expected: string[]): Promise<void> {
  let types: string[] = [];
  await until(async () => {
    const rows = await sql`
      select type from public.lead_activities where lead_id = ${lead_id} order by occurred_at`;
    types = rows.map(({ type }) => type.replace("presentation_", ""));
    return types.length >= expected.length;
  });
  assert.deepEqual(types, expected);
}

/** A test in the browser's own context. In any other, a page believes that it is seen, also in a minimised window. */
function windowTest(name: string, run: (page: Page) => Promise<void>): void {
  Deno.test({
    name,
    ignore: !hasChromium,
    async fn() {
      const { context } = await chromium();
      const [blank] = context.pages();
      const page = await context.newPage();
      try {
        await page.goto(DESK);
        await page.evaluate("localStorage.clear()");
        await page.goto("about:blank");
        await run(page);
      } finally {
        for (const open of context.pages()) if (open !== blank) await open.close();
      }
    },
  });
}

windowTest("the pop-out logs its start, its pauses and its returns", async (page) => {
  const agent = await createAgentWithLead();
  const popout = await present(page, agent);
  await popout.getByRole("heading", { name: "Presentation: Ida" }).waitFor();
  await assertActivities(agent.lead_id, ["started"]);
  await (await chromium()).setWindow(popout, "minimized");
  await assertActivities(agent.lead_id, ["started", "paused"]);
  await (await chromium()).setWindow(popout, "normal");
  await assertActivities(agent.lead_id, ["started", "paused", "resumed"]);
  await popout.close();
  await assertActivities(agent.lead_id, ["started", "paused", "resumed", "paused"]);
  const second = await openPopout(page);
  const before = ["started", "paused", "resumed", "paused", "resumed"];
  await assertActivities(agent.lead_id, before);

  // Closing a minimised pop-out is no second pause.
  await (await chromium()).setWindow(second, "minimized");
  await assertActivities(agent.lead_id, [...before, "paused"]);
  await second.close();
  await openPopout(page);
  await assertActivities(agent.lead_id, [...before, "paused", "resumed"]);
});

deskTest(
  "a start and a submission are stored once although responses were lost, and what was typed stays",
  async (page) => {
    const agent = await createAgentWithLead();
    let starts = 0;
    await page.context().route("**/api/leads/log-presentation-activity*", async (route) => {
      if (route.request().method() !== "POST") return await route.continue();
      // Its body came too slowly.
      if (++starts === 1) return await route.fulfill({ status: 408, json: {} });
      if (starts > 2) return await route.continue();
      await route.fetch();
      await route.abort();
    });
    const popout = await present(page, agent);
    await until(() => starts === 3);
    await page.context().unrouteAll({ behavior: "wait" });
    await popout.getByLabel("Occupation").fill("Teacher");
    await page.context().setOffline(true);
    await submit(popout);
    await popout.getByText("No connection.").waitFor();
    await page.context().setOffline(false);

    await page.reload();
    await page.getByRole("button", { name: "Present to" }).click();
    await popout.getByLabel("Product").fill("Final expense");
    await submit(popout);
    const premium = popout.getByLabel("Annual premium");
    await popout.locator("label", { has: premium }).getByText("Is required.").waitFor();
    assert.equal(await premium.getAttribute("aria-invalid"), "true");
    await assertAccessibleInDarkToo(popout);
    await premium.fill("612.50");
    await popout.getByLabel("Payments").selectOption("monthly");
    await popout.getByLabel("Date of birth").fill("1958-03-14");
    await popout.getByLabel("Children").fill("2");
    await popout.getByRole("button", { name: "Add a referral" }).click();
    for (const [place, name] of [["0", "Ola"], ["1", "Per"]] as const) {
      const referral = popout.getByRole("group", { name: "Referral" }).nth(Number(place));
      await referral.getByLabel("First name").fill(name);
      await referral.getByLabel("Phone").fill(`312-555-019${place}`);
    }
    let calls = 0;
    await popout.route("**/rpc/submit_lead_presentation", async (route) => {
      if (route.request().method() !== "POST") return await route.continue();
      calls++;
      await route.fetch();
      await route.abort();
    });
    await submit(popout);
    await popout.getByText("No connection.").waitFor();
    assert.equal(calls, 4, "it is tried again");
    assert.equal(await popout.getByText("Is required.").count(), 0);
    await popout.unrouteAll({ behavior: "ignoreErrors" });
    await popout.getByLabel("Occupation").fill("Nurse");
    await submit(popout);
    await popout.getByText("What you have changed since then is not stored.").waitFor();
    assert.equal(page.context().pages().length, 2);

    const presentations = await sql`
  select p.agent_id, d.date_of_birth::text, d.children, d.tobacco_user, d.occupation, s.product, s.annual_premium,
    s.payment_frequency, array_agg(r.first_name || ' ' || r.phone order by r.position) as referrals
  from public.lead_presentations p
  join public.lead_demographics d using (lead_id)
  join public.lead_sales s on s.presentation_id = p.id
  join public.lead_referrals r on r.presentation_id = p.id
  where p.lead_id = ${agent.lead_id}
  group by p.agent_id, d.lead_id, s.id`;
    assert.deepEqual([...presentations], [{
      agent_id: agent.agent_id,
      date_of_birth: "1958-03-14",
      children: 2,
      tobacco_user: false,
      occupation: "Teacher",
      product: "Final expense",
      annual_premium: "612.50",
      payment_frequency: "monthly",
      referrals: ["Ola 312-555-0190", "Per 312-555-0191"],
    }]);

    await popout.close();
    await openPopout(page);
    await assertActivities(agent.lead_id, ["started", "started"]);
  },
);

deskTest("without a session the log goes on, and an agent who submits is told to sign in", async (page) => {
  await page.goto(`${DESK}presentation.html`);
  await page.getByText("Open this window with Present").waitFor();
  assert(await page.getByRole("button", { name: "Submit" }).isDisabled());
  const agent = await createAgentWithLead();
  await page.goto(`${DESK}presentation.html?lead_id=${agent.lead_id}&agent_id=${agent.agent_id}`);
  await assertActivities(agent.lead_id, ["started"]);
  await page.getByLabel("Occupation").fill("Teacher");
  await submit(page);
  await page.getByText("You are not signed in.").waitFor();

  const desk = await page.context().newPage();
  await signIn(desk, agent);
  await submit(page);
  await page.getByText("Submitted").waitFor();
}, PHONE);
