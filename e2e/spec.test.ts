import assert from "node:assert/strict";
import { SCENARIOS } from "./scenarios.ts";
import { theWorld } from "./world.ts";

for (const { spec, send, status, body, then } of SCENARIOS) {
  Deno.test(`SPEC ${spec}`, async () => {
    const world = await theWorld();
    const response = await send(world);
    assert.equal(response.status, status, JSON.stringify(response.body));
    assert.partialDeepStrictEqual(response.body, body);
    await then?.(world, response);
  });
}
