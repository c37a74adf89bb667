import assert from "node:assert/strict";
import { parse } from "./fixtures/parsed.ts";
import { splitLeads } from "./index.ts";
import { tiktok } from "./tiktok.ts";

Deno.test("tiktok: a webhook's notification of several leads is split, and is not a lead as a whole", () => {
  const body = {
    object: 1,
    time: 1785312060,
    entry: [
      { id: "1", changes: [{ field: "name", value: "Ann Lee" }] },
      { id: "2", changes: [{ field: "name", value: "Ben Roy" }] },
    ],
  };
  const split = splitLeads("tiktok", body, null);
  const leads = split?.leads.map((lead) => split.parse(lead).data);
  assert.deepEqual(leads?.map((lead) => [lead?.vendor_lead_id, lead?.first_name]), [["1", "Ann"], ["2", "Ben"]]);
  assert.match(tiktok(body, null).error ?? "", /^entry: .* 2 leads/);
  assert.equal(splitLeads("tiktok", { ...body, entry: [body.entry[0]!] }, null), null);
});

Deno.test("tiktok: a single entry is a lead, as in a bulk request", () => {
  const { vendor_lead_id, first_name } = parse(tiktok, { id: 7, changes: [{ field: "name", value: "Ann Lee" }] });
  assert.deepEqual([vendor_lead_id, first_name], ["7", "Ann"]);
});
