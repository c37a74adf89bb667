import assert from "node:assert/strict";
import { inTurns } from "./request_turns.ts";

const REFUSED = () => new Response("{}", { status: 429, headers: { "retry-after": "0.01" } });

Deno.test("three requests are sent at a time, and each is answered", async () => {
  let [running, most] = [0, 0];
  const send = inTurns(async (input) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running--;
    if (input === "8") throw new TypeError("no connection");
    return new Response(String(input));
  });
  const responses = await Promise.allSettled(
    Array.from({ length: 10 }, async (_, n) => (await send(String(n))).text()),
  );
  assert.equal(most, 3);
  assert.deepEqual(responses.map((result) => result.status === "fulfilled" ? result.value : "failed"), [
    ..."01234567",
    "failed",
    "9",
  ]);
});

Deno.test("a request that is refused with Retry-After is sent again, with the same body", async () => {
  const bodies: unknown[] = [];
  const send = inTurns((_, init) => Promise.resolve(bodies.push(init?.body) < 3 ? REFUSED() : new Response("done")));
  const response = await send("/", { method: "POST", body: "what was typed" });
  assert.equal(await response.text(), "done");
  assert.deepEqual(bodies, Array(3).fill("what was typed"));
});

Deno.test("a request that is always refused is given up, and so is a 429 that does not say when to come again", async () => {
  let calls = 0;
  assert.equal((await inTurns(() => Promise.resolve((calls++, REFUSED())))("/")).status, 429);
  assert.equal(calls, 5);
  assert.equal((await inTurns(() => Promise.resolve((calls++, new Response("", { status: 429 }))))("/")).status, 429);
  assert.equal(calls, 6);
});

Deno.test("a request without a response fails, and gives its turn to the next one", async () => {
  const send = inTurns(
    (input, init) =>
      input === "answered"
        ? Promise.resolve(new Response("done"))
        : new Promise((_, reject) => init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason))),
    10,
  );
  const lost = Array.from({ length: 3 }, () => assert.rejects(send("lost"), { name: "TimeoutError" }));
  assert.equal(await (await send("answered")).text(), "done");
  await Promise.all(lost);
});
