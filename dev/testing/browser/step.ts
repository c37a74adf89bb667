import { denoTest } from "../junit.ts";
import type { Step } from "../steps.ts";

/** Runs the example pages in a real browser. Without a browser its tests count as skipped. */
export const browserStep: Step = {
  name: "browser",
  title: "The example pages in Chromium",
  remedy: "npm test -- browser runs it alone.",
  async run(stacks, print) {
    const { file } = await stacks.plain();
    const counts = await denoTest(["dev/testing/browser"], { STACK_FILE: file }, print);
    if (counts.skipped) {
      console.log(
        "No Chromium runs on this machine, so these tests were skipped. Install one, and it is used.",
      );
    }
    return counts;
  },
};
