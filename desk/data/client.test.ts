import assert from "node:assert/strict";
import { errorOf } from "./client.ts";

Deno.test("a call that was refused or has failed is told in words for people", () => {
  for (
    const [status, code, message, words, field = ""] of [
      [400, "PT400", "sale.product: must be a text", "Must be a text.", "sale.product"],
      [
        404,
        "PT404",
        "conversation_id: there is no such conversation",
        "There is no such conversation.",
        "conversation_id",
      ],
      [0, "", "TypeError", "No connection. Check your network and try again."],
      [401, "PGRST303", "JWT expired", "Your session has ended. Sign in again."],
      [429, "", "", "Too many requests. Try again in a minute."],
      [503, "PGRST000", "", "The service has a fault. Try again in a moment."],
      [500, "57014", "canceling statement", "This took too long, and was stopped. Try again in a moment."],
      [403, "42501", "permission denied", "You may not do this. Reload the page to see what you may do."],
    ] as const
  ) {
    const error = errorOf(status, code, message);
    assert.deepEqual([error.message, error.field], [words, field]);
  }
});

Deno.test("a refusal that was not written for people says none of its words", () => {
  for (
    const [status, code, message] of [
      [404, "PGRST202", "Could not find the function public.send_text in the cache"],
      [413, "", "<html><title>Too large</title></html>"],
      [409, "23505", "duplicate key value violates unique constraint"],
    ] as const
  ) {
    assert.equal(
      errorOf(status, code, message).message,
      `The service has refused this (HTTP ${status}). Reload the page and try again.`,
    );
  }
});
