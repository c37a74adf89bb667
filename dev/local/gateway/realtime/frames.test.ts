import assert from "node:assert/strict";
import { type Frame, readFrame, VERSIONS, writeFrame } from "./frames.ts";

const join: Frame = {
  join_ref: "1",
  ref: "2",
  topic: "realtime:agent:1",
  event: "phx_join",
  payload: { config: { private: true } },
};

Deno.test("a message is read as it was written: an object in version 1.0.0, whose refs may be missing, then an array", () => {
  for (const version of VERSIONS) assert.deepEqual(readFrame(version, writeFrame(version, join)), join);
  const heartbeat = { ref: "7", topic: "phoenix", event: "heartbeat", payload: {} };
  const object = JSON.stringify(heartbeat);
  const array = JSON.stringify([null, ...Object.values(heartbeat)]);
  for (const [version, text, other] of [["1.0.0", object, array], ["2.0.0", array, object]] as const) {
    assert.deepEqual(readFrame(version, text), { join_ref: null, ...heartbeat });
    assert.equal(readFrame(version, other), null);
  }
});

Deno.test("what is not of the protocol is no message", () => {
  for (
    const text of [
      "",
      "no JSON",
      "null",
      "[]",
      "[1,2]",
      '[null,null,"phoenix","heartbeat"]',
      '[1,"2","phoenix","heartbeat",{}]',
      '[null,"2",3,"heartbeat",{}]',
      '[null,"2","phoenix",null,{}]',
      '[null,"2","phoenix","heartbeat",[]]',
      '[null,"2","phoenix","heartbeat",null]',
    ]
  ) {
    assert.equal(readFrame("2.0.0", text), null, text);
  }
});
