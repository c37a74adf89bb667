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

/** A step that has begun beside another. */
interface Begun {
  besideName: string;
  counts: Promise<Counts>;
  showOutput(): void;
}

const total = { passed: 0, failed: 0, skipped: 0 };
const summary: string[] = [];
const steps = STEPS.filter(({ name }) => !names?.length || names.includes(name));
const begun = new Map<Step, Begun>();
for (const step of steps) {
  const startedAt = performance.now();
  console.log(`\n=== ${step.title} (${step.name})`);
  const beside = steps.find(({ name }) => name === step.beside);
  if (beside) begun.set(beside, beginStep(beside, step.name));
  const earlier = begun.get(step);
  earlier?.showOutput();
  const { passed, failed, skipped = 0 } = await (earlier?.counts ?? runStep(step));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
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
      earlier ? `  beside ${earlier.besideName}` : `${seconds} s`.padStart(9),
      failed > 0 ? `  ${step.remedy}` : "",
    ].join(" ").trimEnd(),
  );
}
await stopStack();
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
console.log(`\n${summary.join("\n")}\n\n${total.passed} passed, ${total.failed} failed${skipped}`);
Deno.exit(total.failed > 0 ? 1 : 0);

function beginStep(step: Step, besideName: string): Begun {
  const { promise, resolve: showOutput } = Promise.withResolvers<void>();
  return { besideName, counts: runStep(step, promise), showOutput };
}

async function runStep(step: Step, showOutput?: Promise<void>): Promise<Counts> {
  try {
    const counts = await step.run(() => stack ??= startThrowawayStack(), showOutput);
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
