import assert from "node:assert/strict";
import { zoneText } from "./zone_text.ts";

Deno.test("a time zone is in the words of people", () => {
  assert.equal(zoneText("America/New_York"), "Eastern Time (New York)");
  assert.equal(zoneText("America/Phoenix"), "Mountain Standard Time (Phoenix)");
});
