import assert from "node:assert/strict";
import type { Message } from "../data/messages.ts";
import { type Progress, progressOf } from "./progress.ts";

function progress(outbox: Partial<Message["text_outbox"] & object> | null, more: Partial<Message> = {}): Progress {
  const text_outbox = outbox === null ? null : { due_at: "", reason: null, ...outbox };
  return progressOf({ status: null, error_code: null, text_outbox, ...more } as Message);
}

Deno.test("a text that waits may be cancelled, and says why it is held", () => {
  const held = (reason: string | null) => progress({ state: "pending", reason, due_at: "2026-12-01T14:00:00Z" });
  assert.deepEqual(held(null), { words: "Waits to be sent", mayCancel: true });
  assert.deepEqual(held("number_paused"), { words: "Held until the agency's number works again.", mayCancel: true });
  assert.deepEqual(held("no_account"), {
    words: "Held until the service has an account to send texts with.",
    mayCancel: true,
  });
  assert.deepEqual(held("quiet_hours"), {
    words: "Held, because it is too early or too late where the recruit lives.",
    heldUntil: "2026-12-01T14:00:00Z",
    mayCancel: true,
  });
});

Deno.test("what was surely not sent is tried again, and what may have been only after a question", () => {
  const failed = (reason: string | null) => progress({ state: "failed", reason });
  assert.deepEqual(failed("30007"), {
    words: "Not sent: the carrier has taken it for spam.",
    isBad: true,
    retry: "once",
  });
  assert.equal(failed("12345").words, "Not sent: the provider refused it (12345).");
  assert.equal(failed(null).words, "Not sent: nobody knows why.");
  assert.deepEqual(failed("unconfirmed"), {
    words: "Not sent: the provider has never confirmed it. It may have been sent.",
    isBad: true,
    retry: "twice",
  });
  assert.equal(progress({ state: "unconfirmed", due_at: "infinity" }).retry, "twice");
  assert.equal(progress({ state: "unconfirmed" }).retry, undefined);
});

Deno.test("the words of a text that was not delivered are offered again, unless the recruit has opted out", () => {
  const refused = (reason: string) => progress({ state: "refused", reason });
  assert.deepEqual(refused("cancelled"), { words: "Not sent: it was cancelled.", isBad: true, mayWriteAgain: true });
  assert.equal(refused("opted_out").mayWriteAgain, false);
  assert.equal(refused("suppressed").mayWriteAgain, false);
  const notDelivered = (error_code: string) => progress(null, { status: "failed", error_code });
  assert.equal(notDelivered("30007").mayWriteAgain, true);
  assert.equal(notDelivered("21610").mayWriteAgain, false);
});
