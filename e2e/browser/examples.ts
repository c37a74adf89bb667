import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createAgentWithLead, createLead, signInNewAgent } from "../support/agents.ts";
import { ingest, PDF_BASE64 } from "../support/applications.ts";
import { createVendor, PDF, sql } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";
import { browserTest, chromium, signIn, until } from "./harness.ts";

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
