/** `npm test`: every check, or those that are named, or files of one: npm test -- unit <file> */
import { Command } from "commander";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../local/mod.ts";
import { whatMigrationsLack } from "../scripts/migration/ahead.ts";
import type { Counts } from "./junit.ts";
import { interruptProgram, type Print } from "./program.ts";
import { type Stacks, type Step, STEPS } from "./steps.ts";
import { type StepResult, summaryOf } from "./summary.ts";
import { startTextingStack } from "./texting_stack.ts";
import { startThrowawayStack, type ThrowawayStack } from "./throwaway_stack.ts";

const command = new Command("npm test --")
  .description("Runs every check on a stack of its own, or only what is named.")
  .option("--update", "write what commands print into their transcripts: npm test -- e2e <transcript> --update")
  .argument("[step...]", "steps; or one step and files of it, from the checkout's folder")
  .addHelpText(
    "after",
    `\nSteps:\n${STEPS.map(({ name, title }) => `  ${name.padEnd(10)} ${title}`).join("\n")}`,
  )
  .exitOverride(({ exitCode }) => Deno.exit(exitCode && 2))
  .parse(Deno.args, { from: "user" });
if (command.opts().update) Deno.env.set("UPDATE_TRANSCRIPTS", "1");
const isStep = (name: string) => STEPS.some((step) => step.name === name);
const names = command.args.filter(isStep);
const files = command.args.filter((name) => !isStep(name));
const steps = STEPS.filter(({ name }) => names.length === 0 || names.includes(name));
const unknown = files.find((path) => !existsSync(join(ROOT, path)));
if (unknown !== undefined) {
  command.error(`${unknown} is no step and no file (--help lists the steps)`);
}
if (files.length > 0 && (names.length !== 1 || steps[0]?.files === undefined)) {
  command.error("name one step that runs files, then its files: npm test -- unit <file>");
}

/** The number of places for steps: more than a machine with two processors can use, because steps also wait. */
const PLACES = 4;

const started = new Map<keyof Stacks, Promise<ThrowawayStack>>();
/** The message about schemas that are ahead of the migrations, once a stack has these. */
let lacking: Promise<string | undefined> | undefined;
const stacks: Stacks = {
  plain: () => startOnce("plain", startThrowawayStack),
  desk: () => startOnce("desk", () => startTextingStack("desk")),
  texting: () => startOnce("texting", () => startTextingStack("texting")),
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, async () => {
    interruptProgram();
    await stopStacks();
    Deno.exit(1);
  });
}

const resultOf = new Map<Step, StepResult>();
await runSteps();
const results = steps.map((step) => resultOf.get(step)!);
const lack = await lacking;
await stopStacks();
const hasFailed = results.some(({ counts }) => counts.failed > 0);
console.log(`\n${summaryOf(results)}${hasFailed && lack ? `\n\n${lack}` : ""}`);
Deno.exit(hasFailed ? 1 : 0);

/** Runs each step as soon as it has its places, and its stack alone. */
async function runSteps(): Promise<void> {
  const waiting = [...steps];
  const running = new Map<Step, Promise<void>>();
  let free = PLACES;
  let change = Promise.withResolvers<void>();
  const release = (places: number) => {
    free += places;
    change.resolve();
    change = Promise.withResolvers();
  };
  while (waiting.length > 0) {
    const active = [...running.keys()];
    const at = waiting.findIndex(({ places = 1, alone }) =>
      places <= free && !(alone && active.some((other) => other.alone === alone))
    );
    if (at < 0) {
      await change.promise;
      continue;
    }
    const [step] = waiting.splice(at, 1) as [Step];
    let held = step.places ?? 1;
    free -= held;
    const leave = () => {
      if (held === 1) return;
      held--;
      release(1);
    };
    const end = () => {
      running.delete(step);
      release(held);
    };
    running.set(step, reportStep(step, leave).finally(end));
  }
  await Promise.all(running.values());
}

/** Runs a step, and shows its output once it has ended: steps run at the same time. */
async function reportStep(step: Step, leave: () => void): Promise<void> {
  const startedAt = performance.now();
  const output: string[] = [];
  const print = steps.length > 1 ? (lines: string) => output.push(lines) : undefined;
  const heading = `\n=== ${step.title} (${step.name})`;
  if (print === undefined) console.log(heading);
  const counts = await runStep(step, leave, print);
  if (print) console.log([heading, ...output].join("\n"));
  if (counts.failed > 0) console.log(`\n${step.title}: failed. ${step.remedy}`);
  resultOf.set(step, { step, counts, seconds: (performance.now() - startedAt) / 1_000 });
}

async function runStep(step: Step, leave: () => void, print?: Print): Promise<Counts> {
  try {
    const counts = await step.run(stacks, print, files.length > 0 ? files : undefined, leave);
    if (counts.passed + counts.failed + (counts.skipped ?? 0) > 0) return counts;
    (print ?? console.log)("Nothing ran, which counts as a failure.");
  } catch (error) {
    (print ?? console.log)((error as Error).message);
  }
  return { passed: 0, failed: 1 };
}

function startOnce(
  name: keyof Stacks,
  start: () => Promise<ThrowawayStack>,
): Promise<ThrowawayStack> {
  let stack = started.get(name);
  if (!stack) {
    started.set(name, stack = start());
    lacking ??= stack.then(sayWhatMigrationsLack, () => undefined);
  }
  return stack;
}

async function sayWhatMigrationsLack({ db_url }: ThrowawayStack): Promise<string | undefined> {
  const lack = await whatMigrationsLack(db_url);
  if (lack) console.log(lack);
  return lack;
}

async function stopStacks(): Promise<void> {
  await Promise.all(
    Array.from(started.values(), (stack) => stack.then((running) => running.stop(), () => {})),
  );
}
