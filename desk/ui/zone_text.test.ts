import assert from "node:assert/strict";
import { hoursText, zoneText } from "./zone_text.ts";

Deno.test("a time zone and hours are in the words of people", () => {
  assert.equal(zoneText("America/New_York"), "Eastern Time (New York)");
  assert.equal(zoneText("America/Phoenix"), "Mountain Standard Time (Phoenix)");
  assert.equal(hoursText("09:00-18:30"), "9:00 AM to 6:30 PM");
});
