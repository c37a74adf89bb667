/** `npm run bench`: measures what docs/performance.md lists, or what is named: npm run bench -- ingest import */
import { Argument, Command } from "commander";
import { formatTable } from "../admin/table.ts";
import { bodies } from "./bodies.ts";
import { codeSize } from "./code_size.ts";
import { coldStart } from "./cold_start.ts";
import { functionCpu } from "./function_cpu.ts";
import { growth } from "./growth.ts";
import { importLeads } from "./import.ts";
import { ingest } from "./ingest.ts";
import { journal } from "./journal.ts";
import { type Benchmark, type Measurement } from "./measurement.ts";
import { stopStacks } from "./stacks.ts";

const BENCHMARKS: Benchmark[] = [
  ingest,
  journal,
  importLeads,
  growth,
  functionCpu,
  bodies,
  coldStart,
  codeSize,
];

const [names] = new Command("npm run bench --")
  .description("Measures what docs/performance.md lists, or only what is named.")
  .addArgument(new Argument("[benchmark...]").choices(BENCHMARKS.map(({ name }) => name)))
  .addHelpText(
    "after",
    `\nBenchmarks:\n${
      BENCHMARKS.map(({ name, title }) => `  ${name.padEnd(14)} ${title}`).join("\n")
    }`,
  )
  .exitOverride(({ exitCode }) => Deno.exit(exitCode && 2))
  .parse(Deno.args, { from: "user" })
  .processedArgs as [string[]?];

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, async () => {
    await stopStacks();
    Deno.exit(1);
  });
}

const measurements: Measurement[] = [];
for (const { name, title, run } of BENCHMARKS) {
  if (names?.length && !names.includes(name)) continue;
  console.log(`\n=== ${title} (${name})`);
  try {
    for (const measurement of await run()) {
      console.log(`${measurement.what}: ${measurement.detail}`);
      measurements.push(measurement);
    }
  } finally {
    await stopStacks();
  }
}

const missed = measurements.filter((measurement) => !isMet(measurement)).length;
console.log(`\n${formatTable(measurements.map(toRow))}\n`);
console.log(`${measurements.length - missed} budgets met, ${missed} missed`);
Deno.exit(0);

function toRow(measurement: Measurement) {
  const { what, value, unit, budget } = measurement;
  return {
    what,
    measured: `${value.toPrecision(3)} ${unit}`,
    budget: "atLeast" in budget
      ? `at least ${budget.atLeast} ${unit}`
      : `at most ${budget.atMost} ${unit}`,
    met: isMet(measurement) ? "yes" : "MISSED",
  };
}

function isMet({ value, budget }: Measurement): boolean {
  return "atLeast" in budget ? value >= budget.atLeast : value <= budget.atMost;
}
