import assert from "node:assert/strict";
import { parse, parsed } from "./fixtures/parsed.ts";
import { readFixture } from "./fixtures/read.ts";
import { parserNamed, splitLeads } from "./index.ts";
import { tiktok } from "./tiktok.ts";

Deno.test("tiktok: a lead of the webhook, whose ids keep all their digits", () => {
  assert.deepEqual(parsed(tiktok, "tiktok"), {
    first_name: "Renée",
    vendor_lead_id: "7664713983311741191",
    vendor_metadata: {
      answers: [
        { question: "Do you have a life insurance license?", answer: "Not yet" },
        { question: "scheduled_time", answer: "Wednesday / 12:00 - 13:00" },
      ],
      form_id: "7643847475366904072",
      campaign_id: "1790000000000011",
      ad_id: "1790000000000033",
      last_name: "Castillo",
      email: "renee.castillo@example.com",
      phone: "+16145550142",
      phone_raw: "+16145550142",
      city: "Columbus",
      state: "OH",
      submitted_at: "2026-07-29T08:00:00.000Z",
      vendor_fields: {
        request_id: "7664713983311741111",
        object: 1,
        time: 1785312060,
        entry: [{
          lead_source: "INSTANT_FORM",
          page_name: "Agents wanted",
          advertiser_id: "7163948356417552385",
          advertiser_name: "Lakeshore Insurance",
          library_id: 0,
          campaign_name: "Recruiting",
          adgroup_id: 1790000000000022,
          adgroup_name: "Ohio",
          ad_name: "Video 1",
          create_time: 1785312000,
          changes: [
            { field: "first_name" },
            { field: "last_name" },
            { field: "phone_number" },
            { field: "email" },
            { field: "city" },
            { field: "state", value: "Ohio" },
            null,
            null,
          ],
        }],
      },
    },
  });
});

Deno.test("tiktok: a lead of the form's preview is a test", () => {
  const { first_name, vendor_metadata } = parse(tiktok, readFixture("tiktok_test"));
  assert.equal(first_name, "Jo");
  assert.equal(vendor_metadata.is_test, true);
});

Deno.test("tiktok: the response of /lead/get/, with the answers by question", () => {
  const { vendor_metadata, ...lead } = parsed(tiktok, "tiktok_retrieved");
  const { vendor_fields: _, ...metadata } = vendor_metadata;
  assert.deepEqual({ ...lead, ...metadata }, {
    first_name: "Renée",
    vendor_lead_id: "7664713983311741191",
    answers: [{ question: "Availability", answer: "Weekdays" }],
    form_id: "7643847475366904072",
    campaign_id: "1790000000000011",
    ad_id: "1790000000000033",
    full_name: "Renée Castillo",
    last_name: "Castillo",
    email: "renee.castillo@example.com",
    phone: "+16145550142",
    phone_raw: "+16145550142",
    submitted_at: "2026-07-29T08:00:00.000Z",
  });
});

Deno.test("tiktok: a webhook's notification of several leads is split, and is no lead as a whole", () => {
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
  assert.deepEqual(leads?.map((lead) => [lead?.vendor_lead_id, lead?.first_name]), [
    ["1", "Ann"],
    ["2", "Ben"],
  ]);
  assert.match(tiktok(body, null).error ?? "", /^entry: .* 2 leads/);
  assert.equal(splitLeads("tiktok", { ...body, entry: [body.entry[0]!] }, null), null);
});

Deno.test("tiktok: an entry by itself is a lead, as in a bulk request", () => {
  const { vendor_lead_id, first_name } = parse(tiktok, {
    id: 7,
    changes: [{ field: "name", value: "Ann Lee" }],
  });
  assert.deepEqual([vendor_lead_id, first_name], ["7", "Ann"]);
});

Deno.test("tiktok: a notification of something else is no new application", () => {
  const { error } = parserNamed("tiktok")!({ object: 2, entry: [{ id: 1 }] }, null);
  assert.equal(error, "not a new application");
});
