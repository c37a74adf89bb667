import assert from "node:assert/strict";
import { latenessOf, waitText } from "./lateness.ts";

Deno.test("who has waited for an hour, and for a day, is late", () => {
  const since = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  assert.deepEqual([0, 59, 61, 24 * 60 - 1, 24 * 60 + 1].map((minutes) => latenessOf(since(minutes))), [
    "info",
    "info",
    "warn",
    "warn",
    "bad",
  ]);
  assert.deepEqual([0, 300].map((minutes) => waitText(since(minutes))), ["just wrote", "waits 5 h"]);
});
