import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { createAgentWithLead, createLead, signInNewAgent } from "../support/agents.ts";
import { ingest, PDF_BASE64 } from "../support/applications.ts";
import { createVendor, PDF, sql, stack } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { browserTest, chromium, signIn, until } from "./harness.ts";

async function openPopout(page: Page): Promise<Page> {
  const popup = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Present" }).click();
  return popup;
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

browserTest("an agent signs in and reads what is its own", async (page, origin) => {
  const agent = await createAgentWithLead();
  const colleague = await signInNewAgent(agent.agency_id, "manager");
  await sql`update public.agents set first_name = 'Boris' where id = ${colleague.agent_id}`;
  const other_id = await createLead(agent.agency_id, colleague.agent_id);
  await sql`update public.leads set first_name = 'Hidden' where id = ${other_id}`;
  const recruit_phone = newPhone();
  const [conversation] = await sql`
    insert into public.recruiting_conversations
      (agency_id, recruit_phone, service_phone, status, assigned_agent_id)
    values (${agent.agency_id}, ${recruit_phone}, ${newPhone()}, 'escalated', ${agent.agent_id})
    returning id`;
  await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, body)
    values (${conversation!.id}, 'inbound', 'recruit', 'When can we talk?')`;

  await signIn(page, origin, agent);
  assert.match((await page.locator("#leads").textContent())!, /^Ida {2}555-0100/);
  assert.equal(
    await page.locator("#conversations").textContent(),
    `${recruit_phone}: When can we talk?`,
  );
  assert.match((await page.locator("#agents").textContent())!, /Boris Quist, manager/);

  await page.reload();
  await page.getByRole("heading", { name: "Nora Quist" }).waitFor();
});

browserTest("a wrong password is told", async (page, origin) => {
  const agent = await createAgentWithLead();
  await page.goto(origin);
  await page.getByLabel("E-mail").fill(agent.email);
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Invalid login credentials").waitFor();
});

browserTest("an agent downloads the resume of a recruit", async (page, origin) => {
  const agent = await createAgentWithLead();
  const { body } = await ingest(await createVendor(), { first_name: "Ada", resume: PDF_BASE64 });
  await sql`
    update public.recruiting_leads
    set distribution = 'not_requested', order_id = null, distributed_at = null,
      agency_id = ${agent.agency_id}, agent_id = ${agent.agent_id}
    where id = ${body.id}`;
  await signIn(page, origin, agent);
  await page.getByRole("button", { name: "Resume" }).click();
  const file = join(chromium!.downloads, `${body.id}.pdf`);
  await until(() => existsSync(file) && Deno.statSync(file).size === PDF.length);
  assert.deepEqual(Deno.readFileSync(file), PDF);
});

browserTest("the pop-out logs its start, its pauses and its returns", async (page, origin) => {
  const agent = await createAgentWithLead();
  await signIn(page, origin, agent);
  const popout = await openPopout(page);
  await assertActivities(agent.lead_id, ["started"]);
  await chromium!.setWindow(popout, "minimized");
  await assertActivities(agent.lead_id, ["started", "paused"]);
  await chromium!.setWindow(popout, "normal");
  await assertActivities(agent.lead_id, ["started", "paused", "resumed"]);
  await popout.close();
  await assertActivities(agent.lead_id, ["started", "paused", "resumed", "paused"]);
  await openPopout(page);
  await assertActivities(agent.lead_id, ["started", "paused", "resumed", "paused", "resumed"]);
});

browserTest("a start whose response was lost is logged once", async (page, origin) => {
  const agent = await createAgentWithLead();
  await signIn(page, origin, agent);
  let calls = 0;
  await page.context().route("**/api/leads/log-presentation-activity*", async (route) => {
    if (route.request().method() === "POST" && calls++ === 0) {
      await route.fetch();
      await route.abort();
    } else {
      await route.continue();
    }
  });
  const popout = await openPopout(page);
  await until(() => calls === 2);
  assert.equal(calls, 2);
  await page.context().unrouteAll({ behavior: "wait" });
  await popout.close();
  await assertActivities(agent.lead_id, ["started", "paused"]);
});

browserTest("closing a minimised pop-out is no second pause", async (page, origin) => {
  const agent = await createAgentWithLead();
  await signIn(page, origin, agent);
  const popout = await openPopout(page);
  await assertActivities(agent.lead_id, ["started"]);
  await chromium!.setWindow(popout, "minimized");
  await assertActivities(agent.lead_id, ["started", "paused"]);
  await popout.close();
  await openPopout(page);
  await assertActivities(agent.lead_id, ["started", "paused", "resumed"]);
});

browserTest(
  "a submission is stored once although its response was lost, and ends the log",
  async (page, origin) => {
    const agent = await createAgentWithLead();
    await signIn(page, origin, agent);
    const popout = await openPopout(page);
    let calls = 0;
    await popout.route("**/rpc/submit_lead_presentation", async (route) => {
      if (route.request().method() === "POST" && calls++ === 0) {
        await route.fetch();
        await route.abort();
      } else {
        await route.continue();
      }
    });
    await popout.getByLabel("Date of birth").fill("1958-03-14");
    await popout.getByLabel("Children").fill("2");
    await popout.getByLabel("Product").fill("Final expense");
    await popout.getByLabel("Annual premium").fill("612.50");
    await popout.getByLabel("First name").fill("Ola");
    await popout.getByLabel("Phone").fill("312-555-0190");
    await popout.getByRole("button", { name: "Submit" }).click();
    await popout.getByText("Submitted").waitFor();

    const presentations = await sql`
    select p.agent_id, d.date_of_birth::text, d.children, d.tobacco_user, s.product, s.annual_premium,
      r.first_name, r.phone
    from public.lead_presentations p
    join public.lead_demographics d using (lead_id)
    join public.lead_sales s on s.presentation_id = p.id
    join public.lead_referrals r on r.presentation_id = p.id
    where p.lead_id = ${agent.lead_id}`;
    assert.deepEqual([...presentations], [{
      agent_id: agent.agent_id,
      date_of_birth: "1958-03-14",
      children: 2,
      tobacco_user: false,
      product: "Final expense",
      annual_premium: "612.50",
      first_name: "Ola",
      phone: "312-555-0190",
    }]);
    assert.equal(calls, 2);

    await chromium!.setWindow(popout, "minimized");
    await popout.close();
    await openPopout(page);
    await assertActivities(agent.lead_id, ["started", "started"]);
  },
);

browserTest("a refused field is told and can be corrected", async (page, origin) => {
  const agent = await createAgentWithLead();
  await signIn(page, origin, agent);
  const popout = await openPopout(page);
  await popout.getByLabel("Product").fill("Term");
  await popout.getByRole("button", { name: "Submit" }).click();
  await popout.getByText("sale.annual_premium: is required").waitFor();
  await popout.getByLabel("Annual premium").fill("300");
  await popout.getByRole("button", { name: "Submit" }).click();
  await popout.getByText("Submitted").waitFor();
});

for (
  const [what, event, sending] of [
    ["sends a text by sendBeacon as it closes", "pagehide", "navigator.sendBeacon(url, body)"],
    [
      "sends JSON by fetch with keepalive as it closes",
      "pagehide",
      `fetch(url, { method: "POST", body, headers: { "content-type": type }, keepalive: true })`,
    ],
    [
      // Not as it closes: Chromium loses some of these.
      "sends a JSON Blob by sendBeacon as it is minimised",
      "visibilitychange",
      `navigator.sendBeacon(url, new Blob([body], { type }))`,
    ],
  ] as const
) {
  browserTest(`a page of another origin ${what}`, async (page, origin) => {
    const { lead_id, agent_id } = await createAgentWithLead();
    const url = `${stack.functions_url}/api/leads/log-presentation-activity` +
      `?apikey=${stack.publishable_key}`;
    const body = JSON.stringify({ lead_id, agent_id, type: "presentation_paused" });
    await page.goto(`${origin}/config.ts`);
    await page.evaluate(`{
      const [url, body, type] = ${JSON.stringify([url, body, "application/json"])};
      addEventListener("${event}", () => ${sending}, { once: true });
    }`);
    await (event === "pagehide" ? page.close() : chromium!.setWindow(page, "minimized"));
    await assertActivities(lead_id, ["paused"]);
  });
}
