import assert from "node:assert/strict";
import { SCENARIOS } from "./scenarios.ts";
import { theWorld } from "./world.ts";

for (const { spec, send, status, body, then } of SCENARIOS) {
  Deno.test(`SPEC ${spec}`, async () => {
    const world = await theWorld();
    const answer = await send(world);
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.partialDeepStrictEqual(answer.body, body);
    await then?.(world, answer);
  });
}
