import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { SCENARIOS } from "./scenarios.ts";
import { theWorld } from "../support/world.ts";

for (const { spec, send, status, body, then } of SCENARIOS) {
  Deno.test(`SPEC ${spec}`, async () => {
    const world = await theWorld();
    const response = await send(world);
    assert.equal(response.status, status, JSON.stringify(response.body));
    assert.partialDeepStrictEqual(response.body, body);
    await then?.(world, response);
  });
}

Deno.test("without an active number, none of these requests leaves a text to send", async () => {
  const { agency_id } = await theWorld();
  const queued = await sql`
    select from public.text_outbox o
    join public.recruiting_conversations c on c.id = o.conversation_id
    where c.agency_id = ${agency_id}`;
  assert.equal(queued.length, 0);
});
