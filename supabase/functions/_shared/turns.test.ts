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
