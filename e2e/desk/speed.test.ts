import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { deskTest, signIn } from "./harness.ts";
import { box, createTalk, createTexter, tell, texts } from "./talks.ts";

/** Counts in `formatted` how often the page puts a time into words, which it does whenever it renders a text. */
const COUNT_FORMATTED = `
  globalThis.formatted = 0;
  const { get } = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format");
  Object.defineProperty(Intl.DateTimeFormat.prototype, "format", { get() { formatted++; return get.call(this); } });
  for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
    const called = Date.prototype[name];
    Date.prototype[name] = function (...given) { formatted++; return called.apply(this, given); };
  }`;

/** Makes the machine of a page this many times slower. */
async function slowDown(page: Page, rate: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
}

/** Keeps in `costs` the milliseconds that the page works for each key, with its layout. */
const COUNT_COSTS = `
  globalThis.costs = [];
  addEventListener("keydown", () => {
    const begun = performance.now();
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      document.body.getBoundingClientRect();
      costs.push(performance.now() - begun);
    };
    port2.postMessage(null);
  }, true);`;

/** Writes in the box as a person does. Returns the usual cost of a key in milliseconds, and the greatest. */
async function costOfKeys(page: Page): Promise<{ median: number; most: number }> {
  await page.evaluate("costs.length = 0");
  // One after the other: what is typed at once is measured together.
  await box(page).pressSequentially("A text of some length", { delay: 80 });
  const costs = (await page.evaluate("costs") as number[]).toSorted((one, other) => one - other);
  return { median: costs[Math.floor(costs.length / 2)]!, most: costs.at(-1)! };
}

deskTest("a key costs the same beside 300 texts as beside 3", async (page) => {
  await page.addInitScript(COUNT_COSTS);
  const agent = await createTexter();
  const medians: number[] = [];
  for (const count of [3, 300]) {
    const talk = await createTalk(agent);
    await tell(talk, Array.from({ length: count }, (_, n) => ["recruit", `Text ${n}.`, 4000 - n]));
    await signIn(page, agent, `inbox/${talk.id}`);
    await page.reload();
    for (const first of count === 3 ? [] : ["Text 200.", "Text 100.", "Text 0."]) {
      await texts(page).getByRole("button", { name: "Show earlier" }).click();
      await texts(page).getByText(first, { exact: true }).waitFor();
    }
    await texts(page).getByText("Text 0.", { exact: true }).waitFor();
    await page.waitForTimeout(1_000);
    await slowDown(page, 4);
    const { median, most } = await costOfKeys(page);
    await slowDown(page, 1);
    medians.push(median);
    console.log(
      `a key beside ${count} texts, CPU 4 times slower: ${median.toFixed(1)} ms, at most ${most.toFixed(1)} ms`,
    );
  }
  const [few, many] = medians;
  // A hundred times as many texts. A busy machine may be slow at one of them.
  assert.ok(many! < 10 * few! + 10, `${few} ms, ${many} ms`);
});

/**
 * Counts in `rendered` how often React renders a component inside the composer, and outside of it. React tells a hook
 * of its developer tools of each commit. What it has rendered has the flag 1. What it has left alone is the same object
 * as before.
 */
const COUNT_RENDERED = `
  globalThis.rendered = { inside: 0, outside: 0 };
  const [FUNCTION, HOST, FORWARD, MEMO, SIMPLE_MEMO] = [0, 5, 11, 14, 15];
  const hostIn = (fiber) => fiber === null || fiber.tag === HOST ? fiber : hostIn(fiber.child);
  function count(fiber, isInside) {
    const isFunction = [FUNCTION, FORWARD, MEMO, SIMPLE_MEMO].includes(fiber.tag);
    const host = hostIn(fiber)?.stateNode;
    isInside ||= host?.closest(".composer") != null;
    if (isFunction && fiber.flags & 1) rendered[isInside ? "inside" : "outside"]++;
    if (fiber.alternate !== null && fiber.child === fiber.alternate.child) return;
    for (let child = fiber.child; child !== null; child = child.sibling) count(child, isInside);
  }
  globalThis.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true, inject: () => 1, onCommitFiberUnmount() {}, onPostCommitFiberRoot() {},
    onCommitFiberRoot: (_, root) => count(root.current, false),
  };`;

deskTest("a key renders the composer, and nothing else", async (page) => {
  await page.addInitScript(COUNT_RENDERED);
  const agent = await createTexter();
  const talk = await createTalk(agent);
  await tell(talk, Array.from({ length: 40 }, (_, n) => [n % 3 === 0 ? "agent" : "recruit", `Text ${n}.`, 4000 - n]));
  await signIn(page, agent, `inbox/${talk.id}`);
  await texts(page).getByText("Text 39.", { exact: true }).waitFor();
  const rendered = async () => await page.evaluate("rendered") as { inside: number; outside: number };
  assert.ok((await rendered()).outside > 40);
  // What has been read since the page was opened has come.
  await page.waitForTimeout(3_000);
  await box(page).press("A");
  await page.evaluate("rendered = { inside: 0, outside: 0 }");
  await box(page).pressSequentially(" text of some length");
  const { inside, outside } = await rendered();
  assert.ok(inside >= 20, `${inside}`);
  // The list is rendered again each minute.
  assert.ok(outside < 20, `${outside} components beside the composer`);
  console.log(`20 keys: ${inside} components of the composer, ${outside} others`);
});

deskTest("a key renders no text, however many are there", async (page) => {
  await page.addInitScript(COUNT_FORMATTED);
  const agent = await createTexter();
  const talk = await createTalk(agent);
  await tell(talk, Array.from({ length: 300 }, (_, n) => [n % 3 === 0 ? "agent" : "recruit", `Text ${n}.`, 4000 - n]));
  await signIn(page, agent, `inbox/${talk.id}`);
  for (const first of ["Text 200.", "Text 100.", "Text 0."]) {
    await texts(page).getByRole("button", { name: "Show earlier" }).click();
    await texts(page).getByText(first, { exact: true }).waitFor();
  }
  await page.waitForTimeout(1_000);
  await slowDown(page, 4);
  const before = await page.evaluate("formatted") as number;
  assert.ok(before >= 300);
  const begun = performance.now();
  await box(page).pressSequentially("A text of some length");
  await page.evaluate("new Promise(requestAnimationFrame)");
  const took = performance.now() - begun;
  console.log(`21 keys beside 300 texts, CPU 4 times slower: ${Math.round(took)} ms`);
  // A list that is read again each minute may show the odd time again.
  assert.ok(await page.evaluate("formatted") as number < before + 21);
  assert.ok(took < 5_000, `${took} ms`);
});
