import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteBudget } from "./byte_budget.ts";

const never = new AbortController().signal;
const giveUp = () => {};

Deno.test("a body gets bytes if all its missing bytes would fit, and they are not reserved for it", async () => {
  const budget = new ByteBudget({ all: 100, sender: 60, unknown: 50, small: 0 });
  const open = (sender: string | undefined, complete: number) => budget.open({ sender, complete, giveUp });
  const [first, second, small] = [open("a", 50), open("a", 50), open("a", 10)];
  assert.equal(first.growTo(20, never), undefined);
  assert.equal(second.growTo(1, AbortSignal.abort()) instanceof Promise, true);
  assert.equal(await second.growTo(1, AbortSignal.abort()), false);
  assert.equal(small.growTo(10, never), undefined);
  assert.deepEqual([first.bytes, second.bytes, small.bytes, budget.used], [20, 0, 10, 30]);

  const waiting = second.growTo(5, never);
  const stranger = open(undefined, 50);
  assert.equal(stranger.growTo(50, never), undefined);
  first.release();
  first.release();
  assert.equal(await Promise.race([waiting, Promise.resolve("waits")]), "waits");
  stranger.release();
  assert.equal(await waiting, true);
  for (const share of [second, small]) share.release();
  assert.equal(budget.used, 0);
});

Deno.test("a small body does not wait for large bodies of its sender", () => {
  const budget = new ByteBudget({ all: 100, sender: 60, unknown: 50, small: 5 });
  const open = (sender: string | undefined, complete: number) => budget.open({ sender, complete, giveUp });
  const [large, small, other, stranger] = [open("a", 60), open("a", 5), open("a", 6), open(undefined, 40)];
  assert.equal(large.growTo(60, never), undefined);
  assert.equal(small.growTo(5, never), undefined);
  assert.notEqual(other.growTo(6, AbortSignal.abort()), undefined);
  small.release();
  assert.equal(stranger.growTo(40, never), undefined);
  assert.notEqual(open("a", 1).growTo(1, AbortSignal.abort()), undefined, "there is no more memory");
  large.release();
  stranger.release();
  assert.equal(budget.used, 0);
});

/** A body: its sender, and the sizes of its pieces. */
const body = fc.record({
  sender: fc.constantFrom(undefined, "a", "b", "c"),
  pieces: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 10 }),
});

Deno.test("property: concurrent bodies all arrive, within each limit", async () => {
  const limits = { all: 700, sender: 450, unknown: 420, small: 0 };
  await fc.assert(fc.asyncProperty(fc.array(body, { maxLength: 30 }), fc.scheduler(), async (bodies, scheduler) => {
    const budget = new ByteBudget(limits);
    const used = new Map<string | undefined, number>();
    const read = async ({ sender, pieces }: typeof bodies[number]) => {
      const complete = pieces.reduce((sum, piece) => sum + piece, 0);
      const share = budget.open({ sender, complete, giveUp: () => assert.fail("given up") });
      for (const piece of pieces) {
        await scheduler.schedule(Promise.resolve());
        await share.growTo(share.bytes + piece, never);
        used.set(sender, (used.get(sender) ?? 0) + piece);
        assert(used.get(sender)! <= (sender === undefined ? limits.unknown : limits.sender));
        assert(budget.used <= limits.all);
      }
      await scheduler.schedule(Promise.resolve());
      used.set(sender, used.get(sender)! - complete);
      share.release();
    };
    const all = Promise.all(bodies.map(read));
    await scheduler.waitFor(all);
    assert.equal(budget.used, 0);
  }));
});
