import assert from "node:assert/strict";
import { Semaphore } from "./semaphore.ts";

const never = new AbortController().signal;

Deno.test("a limited number of callers have a permit at a time, and the others follow in their order", async () => {
  const semaphore = new Semaphore({ permits: 2, waitMs: 1_000 });
  const log: string[] = [];
  const begin = (name: string) =>
    semaphore.acquire(never).then((end) => {
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

Deno.test("permits that are returned twice count once", async () => {
  const semaphore = new Semaphore({ permits: 1, waitMs: 1_000 });
  const end = await semaphore.acquire(never);
  end!();
  end!();
  await semaphore.acquire(never);
  assert.equal(await semaphore.acquire(AbortSignal.abort()), undefined);
  const waiting = new AbortController();
  const second = semaphore.acquire(waiting.signal);
  waiting.abort();
  assert.equal(await second, undefined);
});

Deno.test("a caller may take several permits, and nobody overtakes a caller that waits for them", async () => {
  const semaphore = new Semaphore({ permits: 4, waitMs: 1_000 });
  const endThree = await semaphore.acquire(never, { permits: 3 });
  const impatient = new AbortController();
  const four = semaphore.acquire(impatient.signal, { permits: 4 });
  let hasOne = false;
  const one = semaphore.acquire(never).then((end) => (hasOne = true, end!));
  await Promise.resolve();
  assert.equal(hasOne, false);

  impatient.abort();
  assert.equal(await four, undefined);
  const endOne = await one;

  const all = semaphore.acquire(never, { permits: 4 });
  endOne();
  endThree!();
  (await all)!();
});

Deno.test("work whose permit does not come in time is INTERNAL_ERROR, and failed work returns its permit", async () => {
  const semaphore = new Semaphore({ permits: 1, waitMs: 1_000 });
  const { promise, reject } = Promise.withResolvers<never>();
  const first = semaphore.run(() => promise);
  await assert.rejects(semaphore.run(async () => {}), { code: "INTERNAL_ERROR" });

  const next = semaphore.run(() => Promise.resolve("next"));
  reject(new Error("failed"));
  await assert.rejects(first, { message: "failed" });
  assert.equal(await next, "next");
});
