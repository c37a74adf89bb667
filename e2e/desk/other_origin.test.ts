/** The examples of docs/frontend.md that log an activity, read from the page and run on a page of another origin. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { ROOT } from "../../dev/local/mod.ts";
import { createAgentWithLead } from "../support/agents.ts";
import { sql, stack } from "../support/client.ts";
import { deskTest, until } from "./harness.ts";

const [BY_FETCH, BY_BEACON, ...others] = Array.from(
  Deno.readTextFileSync(join(ROOT, "docs/frontend.md")).matchAll(/^```js\n(.*?)^```/gms),
  ([, code]) => code!,
);

Deno.test("docs/frontend.md has an example for fetch and one for sendBeacon", () => {
  assert.match(BY_FETCH!, /await fetch\(.*keepalive: true/s);
  assert.match(BY_BEACON!, /navigator\.sendBeacon\(/);
  assert.deepEqual(others, []);
});

/** Runs the example for fetch, and returns what it reads of the response. */
async function runFetch(page: Page): Promise<{ status: number; success?: boolean; code?: string }> {
  return await page.evaluate(
    `(async () => { ${BY_FETCH}; return { status: response.status, success, code: error?.code }; })()`,
  );
}

async function activities(lead_id: string): Promise<string[]> {
  const rows = await sql`select type from public.lead_activities where lead_id = ${lead_id} order by occurred_at`;
  return rows.map(({ type }) => type);
}

deskTest("a page of another origin logs by fetch, also as it closes, and by sendBeacon", async (page) => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("<title>Another page</title>", { headers: { "content-type": "text/html" } }),
  );
  const { lead_id, agent_id } = await createAgentWithLead();
  const logged: string[] = [];
  async function assertLogged(type: string): Promise<void> {
    logged.push(`presentation_${type}`);
    await until(async () => (await activities(lead_id)).length >= logged.length);
    assert.deepEqual(await activities(lead_id), logged);
  }
  async function open(): Promise<Page> {
    const page = await context.newPage();
    // Another name than the API's 127.0.0.1, so that it is another site as well.
    await page.goto(`http://localhost:${server.addr.port}`);
    return page;
  }
  const context = page.context();
  const { functions_url: base_url, publishable_key } = stack;
  await context.addInitScript(
    `Object.assign(globalThis, ${JSON.stringify({ base_url, publishable_key, lead_id, agent_id })})`,
  );

  const reading = await open();
  assert.deepEqual(await runFetch(reading), { status: 200, success: true, code: undefined });
  await assertLogged("started");
  await reading.evaluate("lead_id = crypto.randomUUID()");
  assert.deepEqual(await runFetch(reading), { status: 404, success: undefined, code: "NOT_FOUND" });

  const closed = await open();
  await closed.evaluate(`addEventListener("pagehide", async () => { ${BY_FETCH} })`);
  await closed.close();
  await assertLogged("started");

  const closedByBeacon = await open();
  await closedByBeacon.evaluate(BY_BEACON!);
  await closedByBeacon.close();
  await assertLogged("paused");
});
