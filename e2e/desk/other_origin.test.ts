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

/** A test on a page of another origin, which has the variables of the examples. */
function pageTest(name: string, run: (page: Page, lead_id: string) => Promise<void>): void {
  deskTest(name, async (page) => {
    const { lead_id, agent_id } = await createAgentWithLead();
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => new Response("<title>Another page</title>", { headers: { "content-type": "text/html" } }),
    );
    const { functions_url: base_url, publishable_key } = stack;
    await page.addInitScript(
      `Object.assign(globalThis, ${JSON.stringify({ base_url, publishable_key, lead_id, agent_id })})`,
    );
    // Another name than the API's 127.0.0.1, so that it is another site as well.
    await page.goto(`http://localhost:${server.addr.port}`);
    await run(page, lead_id);
  });
}

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

pageTest("a page of another origin logs by fetch, and reads the response", async (page, lead_id) => {
  assert.deepEqual(await runFetch(page), { status: 200, success: true, code: undefined });
  assert.deepEqual(await activities(lead_id), ["presentation_started"]);
  await page.evaluate("lead_id = crypto.randomUUID()");
  assert.deepEqual(await runFetch(page), { status: 404, success: undefined, code: "NOT_FOUND" });
});

pageTest("a page of another origin logs by fetch as it closes", async (page, lead_id) => {
  await page.evaluate(`addEventListener("pagehide", async () => { ${BY_FETCH} })`);
  await page.close();
  await until(async () => (await activities(lead_id)).length > 0);
  assert.deepEqual(await activities(lead_id), ["presentation_started"]);
});

pageTest("a page of another origin logs by sendBeacon as it closes", async (page, lead_id) => {
  await page.evaluate(BY_BEACON!);
  await page.close();
  await until(async () => (await activities(lead_id)).length > 0);
  assert.deepEqual(await activities(lead_id), ["presentation_paused"]);
});

pageTest("a page of another origin logs by a JSON Blob of sendBeacon", async (page, lead_id) => {
  const isQueued = await page.evaluate(`navigator.sendBeacon(
    \`\${base_url}/api/leads/log-presentation-activity?apikey=\${publishable_key}\`,
    new Blob([JSON.stringify({ lead_id, agent_id, type: "presentation_resumed" })], { type: "application/json" }))`);
  assert.equal(isQueued, true);
  await until(async () => (await activities(lead_id)).length > 0);
  assert.deepEqual(await activities(lead_id), ["presentation_resumed"]);
});

pageTest(
  "a tool may trace the requests of a page of another origin, and no other header passes",
  async (page, lead_id) => {
    const withHeaders = (headers: Record<string, string>) =>
      page.evaluate(`{
      const send = globalThis.plainFetch ??= fetch;
      globalThis.fetch = (url, init) => send(url, { ...init, headers: { ...init.headers, ...${
        JSON.stringify(headers)
      } } });
    }`);
    await withHeaders({
      "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "tracestate": "a=1",
      "baggage": "a=1",
      "sentry-trace": "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
    });
    assert.equal((await runFetch(page)).status, 200);
    await withHeaders({ "x-other": "1" });
    await assert.rejects(runFetch(page), /Failed to fetch/);
    assert.deepEqual(await activities(lead_id), ["presentation_started"]);
  },
);
