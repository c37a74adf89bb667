/** `npm test`: every check, or those that are named: npm test -- unit pgtap */
import { Argument, Command } from "commander";
import { interruptProgram } from "./program.ts";
import { type Counts, type Step, STEPS } from "./steps.ts";
import { startThrowawayStack, type ThrowawayStack } from "./throwaway_stack.ts";

const [names] = new Command("npm test --")
  .description("Runs every check on a stack of its own, or only the steps that are named.")
  .addArgument(new Argument("[step...]").choices(STEPS.map(({ name }) => name)))
  .addHelpText(
    "after",
    `\nSteps:\n${STEPS.map(({ name, title }) => `  ${name.padEnd(10)} ${title}`).join("\n")}`,
  )
  .exitOverride(({ exitCode }) => Deno.exit(exitCode && 2))
  .parse(Deno.args, { from: "user" })
  .processedArgs as [string[]?];

let stack: Promise<ThrowawayStack> | undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, async () => {
    interruptProgram();
    await stopStack();
    Deno.exit(1);
  });
}

const total = { passed: 0, failed: 0, skipped: 0 };
const summary: string[] = [];
for (const step of STEPS.filter(({ name }) => !names?.length || names.includes(name))) {
  const startedAt = performance.now();
  console.log(`\n=== ${step.title} (${step.name})`);
  const { passed, failed, skipped = 0 } = await runStep(step);
  if (failed > 0) console.log(`\n${step.title}: failed. ${step.remedy}`);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  summary.push(
    [
      step.name.padEnd(10),
      `${passed} passed`.padStart(12),
      `${failed} failed`.padStart(10),
      (skipped > 0 ? `${skipped} skipped` : "").padStart(11),
      `${((performance.now() - startedAt) / 1000).toFixed(1)} s`.padStart(9),
      failed > 0 ? `  ${step.remedy}` : "",
    ].join(" ").trimEnd(),
  );
}
await stopStack();
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`\n${summary.join("\n")}\n\n${total.passed} passed, ${total.failed} failed${skipped}`);
Deno.exit(total.failed > 0 ? 1 : 0);

async function runStep(step: Step): Promise<Counts> {
  try {
    const counts = await step.run(() => stack ??= startThrowawayStack());
    if (counts.passed + counts.failed + (counts.skipped ?? 0) > 0) return counts;
    console.log("Nothing ran, which counts as a failure.");
  } catch (error) {
    console.log((error as Error).message);
  }
  return { passed: 0, failed: 1 };
}

async function stopStack(): Promise<void> {
  await stack?.then((running) => running.stop(), () => {});
}
