/** `npm run bench`: measures what docs/performance.md lists, or what is named: npm run bench -- ingest import */
import { formatTable } from "../admin/table.ts";
import { codeSize } from "./code_size.ts";
import { coldStart } from "./cold_start.ts";
import { functionCpu } from "./function_cpu.ts";
import { growth } from "./growth.ts";
import { importLeads } from "./import.ts";
import { ingest } from "./ingest.ts";
import { type Benchmark, type Measurement } from "./measurement.ts";
import { stopStacks } from "./stacks.ts";

const BENCHMARKS: Benchmark[] = [ingest, importLeads, growth, functionCpu, coldStart, codeSize];

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, async () => {
    await stopStacks();
    Deno.exit(1);
  });
}

const measurements: Measurement[] = [];
for (const { name, title, run } of choose(Deno.args)) {
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

function choose(names: string[]): Benchmark[] {
  const unknown = names.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
  if (unknown.length > 0) {
    const known = BENCHMARKS.map(({ name }) => name).join(", ");
    console.error(`There is no benchmark ${unknown.join(", ")}; there are ${known}.`);
    Deno.exit(2);
  }
  return names.length > 0 ? BENCHMARKS.filter(({ name }) => names.includes(name)) : BENCHMARKS;
}
