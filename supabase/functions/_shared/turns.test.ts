import assert from "node:assert/strict";
import { Turns } from "./turns.ts";

const never = new AbortController().signal;

Deno.test("so many have a turn at a time, and the others follow in the order in which they came", async () => {
  const turns = new Turns(2);
  const log: string[] = [];
  const begin = (name: string) =>
    turns.take(never).then((end) => {
      log.push(name);
      return end!;
    });
  const started = ["a", "b", "c", "d"].map(begin);
  const [endA, endB] = await Promise.all(started.slice(0, 2));
  assert.deepEqual(log, ["a", "b"]);

  endB!();
  const endC = await started[2]!;
  assert.deepEqual(log, ["a", "b", "c"]);

  endA!();
  endC();
  (await started[3]!)();
  assert.deepEqual(log, ["a", "b", "c", "d"]);
});

Deno.test("a turn that is ended twice makes room for one", async () => {
  const turns = new Turns(1);
  const end = await turns.take(never);
  end!();
  end!();
  await turns.take(never);
  assert.equal(await turns.take(AbortSignal.abort()), undefined);
  const waiting = new AbortController();
  const second = turns.take(waiting.signal);
  waiting.abort();
  assert.equal(await second, undefined);
});

Deno.test("one who gives up waiting is passed over", async () => {
  const turns = new Turns(1);
  const end = await turns.take(never);
  const impatient = new AbortController();
  const first = turns.take(impatient.signal);
  const second = turns.take(never);
  impatient.abort();
  assert.equal(await first, undefined);
  end!();
  assert(await second);
});

Deno.test("a turn may take a larger share, and nobody passes one who waits for it", async () => {
  const turns = new Turns(4);
  const endThree = await turns.take(never, { share: 3 });
  assert.equal(turns.isWaitedFor(), false);
  const impatient = new AbortController();
  const four = turns.take(impatient.signal, { share: 4 });
  let hasOne = false;
  const one = turns.take(never).then((end) => (hasOne = true, end!));
  assert.equal(turns.isWaitedFor(), true);
  await Promise.resolve();
  assert.equal(hasOne, false);

  impatient.abort();
  assert.equal(await four, undefined);
  const endOne = await one;
  assert.equal(turns.isWaitedFor(), false);

  const all = turns.take(never, { share: 4 });
  endOne();
  assert.equal(turns.isWaitedFor(), true);
  endThree!();
  (await all)!();
});

Deno.test("the next turn is the sender's whose latest is longest ago", async () => {
  const turns = new Turns(1);
  const log: string[] = [];
  const take = async (sender: string) => {
    const end = await turns.take(never, { sender });
    log.push(sender);
    return end!;
  };
  const taken = ["a", "a", "a", "b", "b", "c", "a"].map(take);
  assert.equal(turns.isWaitedFor("a"), true);
  for (const n of [0, 3, 5, 1, 4, 2]) (await taken[n]!)();
  assert.equal(turns.isWaitedFor("a"), false);
  (await taken[6]!)();
  assert.deepEqual(log, ["a", "b", "c", "a", "b", "a", "a"]);
});

Deno.test("work whose turn does not come in time is INTERNAL_ERROR, and failed work makes room", async () => {
  const turns = new Turns(1);
  const { promise, reject } = Promise.withResolvers<never>();
  const first = turns.run(1_000, () => promise);
  await assert.rejects(turns.run(10, async () => {}), { code: "INTERNAL_ERROR" });

  const next = turns.run(1_000, () => Promise.resolve("next"));
  reject(new Error("failed"));
  await assert.rejects(first, { message: "failed" });
  assert.equal(await next, "next");
});
