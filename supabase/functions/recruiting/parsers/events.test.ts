/** Events that are not new applications produce no lead. */
import assert from "node:assert/strict";
import type { Json } from "../../_shared/json.ts";
import { readSent } from "./fixtures/read.ts";
import { PARSERS } from "./index.ts";
import { NOT_A_NEW_APPLICATION } from "./parser.ts";

const greenhouse = readSent("greenhouse_webhook");
const workable = readSent("workable");

const OTHER_EVENTS: [parser: string, event: string, payload: Json][] = [
  ["greenhouse", "an application that goes on", { ...greenhouse, action: "candidate_stage_change" }],
  ["greenhouse", "a ping", { ...greenhouse, action: "ping" }],
  ["workable", "a candidate who moves on", { ...workable, event_type: "candidate_moved" }],
  ["typeform", "a form that was left", { ...readSent("typeform"), event_type: "form_response_partial" }],
  ["jazzhr", "the check of a new webhook", { data: "JazzHR Verify Event" }],
  ["tiktok", "something else than a lead", { object: 2, entry: [{ id: 1 }] }],
  ["meta", "something else than a lead", {
    object: "page",
    entry: [{ id: "1", changes: [{ field: "feed", value: { item: "post" } }] }],
  }],
  ["linkedin", "a lead that was deleted", {
    type: "LEAD_ACTION",
    leadAction: "DELETED",
    leadGenFormResponse: "urn:li:leadGenFormResponse:1-4",
    leadGenForm: "urn:li:versionedLeadGenForm:(urn:li:leadGenForm:3213,1)",
  }],
];

Deno.test("an event that is not a new application is none", () => {
  for (const [parser, event, payload] of OTHER_EVENTS) {
    const { data, error } = PARSERS.get(parser)!(payload, null);
    assert.deepEqual([data, error], [null, NOT_A_NEW_APPLICATION], event);
  }
});
