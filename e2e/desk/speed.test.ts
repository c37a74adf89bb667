import assert from "node:assert/strict";
import { deskTest, signIn, until } from "./harness.ts";
import { box, createTalk, createTexter, list, tell, texts } from "./talks.ts";

const MAX_SCRIPT_BYTES = 170_000;

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

deskTest("the inbox loads at most 170 kB of script, and a key renders the composer alone", async (page) => {
  await page.addInitScript(COUNT_RENDERED);
  const agent = await createTexter();
  const talk = await createTalk(agent);
  await tell(talk, Array.from({ length: 50 }, (_, n) => [n % 3 === 0 ? "agent" : "recruit", `Text ${n}.`, 4000 - n]));
  const network = await page.context().newCDPSession(page);
  const scripts = new Map<string, { url: string; begunAt: number; bytes: number | null }>();
  network.on("Network.requestWillBeSent", ({ requestId, type, request: { url }, wallTime }) => {
    if (type === "Script") scripts.set(requestId, { url, begunAt: wallTime * 1_000, bytes: null });
  });
  // With the headers, and as it was compressed.
  network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) scripts.get(requestId)!.bytes = encodedDataLength;
  });
  await network.send("Network.enable");
  await page.addInitScript(`
    new MutationObserver(() => {
      if (document.querySelector("[aria-label=Conversations] li a")) globalThis.stoodAt ??= Date.now();
    }).observe(document, { childList: true, subtree: true });`);
  const live = page.waitForEvent("websocket");
  await signIn(page, agent, "inbox");
  await list(page).getByRole("link", { name: "Maya" }).waitFor();
  await live;
  await until(() => [...scripts.values()].every(({ bytes }) => bytes !== null));
  const stoodAt = await page.evaluate("stoodAt") as number;
  const loaded = [...scripts.values()].filter(({ begunAt }) => begunAt <= stoodAt);
  const total = loaded.reduce((sum, { bytes }) => sum + bytes!, 0);
  assert.ok(total > 100_000 && total <= MAX_SCRIPT_BYTES, JSON.stringify(loaded));
  assert.ok(loaded.length < scripts.size, "what is needed later is loaded later");

  await page.evaluate(`location.hash = "#/inbox/${talk.id}"`);
  await texts(page).getByText("Text 49.", { exact: true }).waitFor();
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
  // In a browser of its own, which has loaded no script before.
}, { viewport: { width: 1280, height: 800 } });
