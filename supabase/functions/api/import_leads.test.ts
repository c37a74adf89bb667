import assert from "node:assert/strict";
import { type Row, storeLeads } from "./import_chunks.ts";
import api from "./index.ts";

/** Returns the status of a request with this key and an invalid body: 400 if the key is accepted. */
async function statusWith(key: string | undefined, keys: string | undefined): Promise<number> {
  if (keys === undefined) Deno.env.delete("LEADS_IMPORT_API_KEY");
  else Deno.env.set("LEADS_IMPORT_API_KEY", keys);
  const headers = new Headers(key === undefined ? {} : { "x-api-key": key });
  const url = "http://internal/api/leads/import";
  const response = await api.fetch(new Request(url, { method: "POST", headers, body: "{" }));
  Deno.env.delete("LEADS_IMPORT_API_KEY");
  return response.status;
}

Deno.test("SPEC 5: while the key is rotated, both keys are accepted", async () => {
  assert.equal(await statusWith("new", "new,old"), 400);
  assert.equal(await statusWith("old", "new, old"), 400);
  assert.equal(await statusWith("older", "new, old"), 401);
  assert.equal(await statusWith("new, old", "new, old"), 401);
});

Deno.test("SPEC 5: if no key is set, every request is UNAUTHORIZED", async () => {
  for (const keys of [undefined, "", " ", ","]) {
    for (const key of [undefined, "", " ", ",", "undefined"]) {
      assert.equal(await statusWith(key, keys), 401);
    }
  }
});

Deno.test("if an agent is deactivated between two chunks, each lead is reported by itself; before the first one, the request is refused", async () => {
  Deno.env.set("SUPABASE_URL", "http://internal");
  Deno.env.set("SUPABASE_SERVICE_ROLE_KEY", "key");
  const target = { agency_id: "agency", agent_id: "agent", distribution_id: null };
  const rows = Array.from({ length: 700 }, (_, index) => ({ index }) as Row);
  const refusal = { code: "PT400", message: "agent_id: the agent is deactivated", details: null, hint: null };
  // As many chunks are stored before the agent leaves.
  let stored = 1;
  const realFetch = globalThis.fetch;
  globalThis.fetch = (_url, init) => {
    const { leads }: { leads: Row[] } = JSON.parse(String(init!.body));
    if (leads[0]!.index >= stored * 350) return Promise.resolve(Response.json(refusal, { status: 400 }));
    const imported = leads.map(({ index }) => ({ index, id: `${index}` }));
    return Promise.resolve(Response.json({ imported, duplicates: [], failed: [] }));
  };
  try {
    const outcomes = await storeLeads(target, rows.length, rows, null, "request");
    assert.equal(outcomes.get(349)!.data, "349");
    assert.equal(outcomes.get(350)!.error?.code, "DATABASE_ERROR");
    stored = 0;
    const refused = storeLeads(target, rows.length, rows, null, "request");
    await assert.rejects(refused, { code: "BAD_REQUEST", message: refusal.message });
  } finally {
    globalThis.fetch = realFetch;
  }
});
