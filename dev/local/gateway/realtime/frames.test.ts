import assert from "node:assert/strict";
import { type Frame, readFrame, VERSIONS, writeFrame } from "./frames.ts";

const join: Frame = {
  join_ref: "1",
  ref: "2",
  topic: "realtime:agent:1",
  event: "phx_join",
  payload: { config: { private: true } },
};

for (const version of VERSIONS) {
  Deno.test(`a message of version ${version} is read as it was written`, () => {
    assert.deepEqual(readFrame(version, writeFrame(version, join)), join);
  });
}

Deno.test("version 1.0.0 is an object, whose refs may be missing", () => {
  const text = JSON.stringify({ topic: "phoenix", event: "heartbeat", payload: {}, ref: "7" });
  assert.deepEqual(
    readFrame("1.0.0", text),
    { join_ref: null, ref: "7", topic: "phoenix", event: "heartbeat", payload: {} },
  );
  assert.equal(readFrame("2.0.0", text), null);
});

Deno.test("version 2.0.0 is an array of five", () => {
  const text = JSON.stringify([null, "7", "phoenix", "heartbeat", {}]);
  assert.deepEqual(
    readFrame("2.0.0", text),
    { join_ref: null, ref: "7", topic: "phoenix", event: "heartbeat", payload: {} },
  );
  assert.equal(readFrame("1.0.0", text), null);
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
