/** `npm test`: every check there is, or those that are named: npm test -- unit pgtap */
import { type Counts, type Shown, type Step, STEPS } from "./steps.ts";
import { startThrowawayStack, type ThrowawayStack } from "./throwaway_stack.ts";

const steps = chooseSteps(Deno.args);
let stack: Promise<ThrowawayStack> | undefined;
let current: Deno.ChildProcess | undefined;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, async () => {
    try {
      current?.kill("SIGTERM");
    } catch {
      // It has ended by itself.
    }
    await stopStack();
    Deno.exit(1);
  });
}

const total: Counts = { passed: 0, failed: 0 };
const summary: string[] = [];
for (const step of steps) {
  const startedAt = performance.now();
  console.log(`\n=== ${step.title} (${step.name})`);
  const { passed, failed } = await runStep(step);
  total.passed += passed;
  total.failed += failed;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  summary.push([
    step.name.padEnd(10),
    `${passed} passed`.padStart(12),
    `${failed} failed`.padStart(10),
    `${seconds} s`.padStart(9),
  ].join(" "));
}
await stopStack();
console.log(`\n${summary.join("\n")}\n\n${total.passed} passed, ${total.failed} failed`);
Deno.exit(total.failed > 0 ? 1 : 0);

async function runStep(step: Step): Promise<Counts> {
  try {
    const counts = await step.run({ stack: startStack, show });
    if (counts.passed + counts.failed > 0) return counts;
    console.log("Nothing ran, which counts as a failure.");
  } catch (error) {
    console.log((error as Error).message);
  }
  return { passed: 0, failed: 1 };
}

function startStack(): Promise<ThrowawayStack> {
  return stack ??= startThrowawayStack();
}

async function stopStack(): Promise<void> {
  await stack?.then((running) => running.stop(), () => {});
}

async function show(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Shown> {
  const child = new Deno.Command(command, {
    args,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  current = child;
  let output = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    Deno.stdout.writeSync(chunk);
    output += decoder.decode(chunk, { stream: true });
  }
  const { success } = await child.status;
  current = undefined;
  return { success, output };
}

function chooseSteps(names: string[]): Step[] {
  const unknown = names.filter((name) => !STEPS.some((step) => step.name === name));
  if (unknown.length > 0) {
    const known = STEPS.map(({ name }) => name).join(", ");
    console.error(`There is no step ${unknown.join(", ")}; the steps are ${known}.`);
    Deno.exit(2);
  }
  return names.length > 0 ? STEPS.filter(({ name }) => names.includes(name)) : STEPS;
}
