import assert from "node:assert/strict";
import { matchingMessages } from "./look_up_text.ts";
import type { TwilioMessage } from "../twilio/api.ts";

function message(sid: string, body: string | null, fields: Partial<TwilioMessage> = {}) {
  return {
    sid,
    body,
    direction: "outbound-api",
    from: "+12025550102",
    to: "+12025550101",
    status: "sent",
    error_code: null,
    num_media: 0,
    date_created: new Date("2026-11-21T10:00:00Z"),
    date_sent: null,
    ...fields,
  };
}

const matchingSids = (body: string, messages: TwilioMessage[]) =>
  matchingMessages(body, messages).map(({ sid }) => sid);

Deno.test("a text is found by its words among the sent messages", () => {
  const messages = [
    message("SM1", "Hi"),
    message("SM2", "Hi there"),
    message("SM3", "Hi", { direction: "inbound" }),
    message("SM4", "Hi", { direction: "unheard-of" }),
  ];
  assert.deepEqual(matchingSids("Hi", messages), ["SM1", "SM4"]);
  assert.deepEqual(matchingSids("Bye", messages), []);
});

Deno.test("of several messages with the same words, the oldest comes first", () => {
  const at = (second: number) => ({ date_created: new Date(second * 1000) });
  const messages = [message("SM2", "Hi", at(2)), message("SM1", "Hi", at(1)), message("SM3", "Hi", at(3))];
  assert.deepEqual(matchingSids("Hi", messages), ["SM1", "SM2", "SM3"]);
});

Deno.test("a text is found even if Twilio has replaced typographic characters", () => {
  const sent = "“Ann’s” appointment – 9 am…";
  assert.deepEqual(matchingSids(sent, [message("SM1", '"Ann\'s" appointment - 9 am...')]), ["SM1"]);
  assert.deepEqual(matchingSids(sent, [message("SM1", '"Ann\'s" appointment - 10 am...')]), []);
});

Deno.test("messages that only resemble a text are ignored if another has exactly its words", () => {
  assert.deepEqual(matchingSids("OK!", [message("SM1", "OK"), message("SM2", "OK!")]), ["SM2"]);
});

Deno.test("a text without words is found among messages without words", () => {
  assert.deepEqual(matchingSids("", [message("MM1", null), message("SM2", "Hi")]), ["MM1"]);
});
