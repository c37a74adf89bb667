/** Texting is opt-in: with an account at Twilio but no number of an agency, the specification's requests send nothing. */
import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { SCENARIOS } from "../routes/scenarios.ts";
import { theWorld } from "../support/world.ts";
import { double, work } from "./texts.ts";

Deno.test("all requests of the specification have their responses, and Twilio gets no request", async () => {
  const world = await theWorld();
  for (const { spec, send, status, body, then } of SCENARIOS) {
    const response = await send(world);
    assert.equal(response.status, status, spec);
    assert.partialDeepStrictEqual(response.body, body, spec);
    await then?.(world, response);
  }
  assert.partialDeepStrictEqual(await work(), {
    accepted: 0,
    unconfirmed: 0,
    pending: 0,
    refused: 0,
    failed: 0,
    errors: 0,
  });
  assert.deepEqual(double.log(), { messages: [], requests: 0 });
  const [queued] = await sql`
    select count(*)::integer from public.text_outbox o
    join public.recruiting_conversations c on c.id = o.conversation_id
    where c.agency_id = ${world.agency_id}`;
  assert.equal(queued!.count, 0);
});
