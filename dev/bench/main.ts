/** `npm run bench`: measures what docs/performance.md lists, or what is named: npm run bench -- ingest import */
import { Argument, Command } from "commander";
import { formatTable } from "../../admin/table.ts";
import { alerts } from "./alerts.ts";
import { distribution } from "./distribution.ts";
import { growth } from "./growth.ts";
import { importLeads } from "./import.ts";
import { ingest } from "./ingest.ts";
import { type BenchmarkOptions, judge, type Measurement, median, quartiles } from "./measurement.ts";
import { mix } from "./mix.ts";
import { commandAndMachine } from "./report.ts";
import { stopStacks } from "./stacks.ts";

const BENCHMARKS = [ingest, mix, importLeads, growth, alerts, distribution];

const command = new Command("npm run bench --")
  .description("Measures what docs/performance.md lists, or only what is named.")
  .addArgument(new Argument("[benchmark...]").choices(BENCHMARKS.map(({ name }) => name)))
  .option("--seconds <seconds>", "how long a round of requests lasts", Number, 2)
  .addHelpText(
    "after",
    `\nBenchmarks:\n${BENCHMARKS.map(({ name, title }) => `  ${name.padEnd(14)} ${title}`).join("\n")}`,
  )
  .exitOverride(({ exitCode }) => Deno.exit(exitCode && 2))
  .parse(Deno.args, { from: "user" });
const [names] = command.processedArgs as [string[]?];
const options = command.opts<BenchmarkOptions>();

console.log(commandAndMachine("bench"));
const measurements: Measurement[] = [];
for (const { name, title, run } of BENCHMARKS) {
  if (names?.length && !names.includes(name)) continue;
  console.log(`\n=== ${title} (${name})`);
  try {
    for (const measurement of await run(options)) {
      console.log(`${measurement.what}: ${measurement.detail}`);
      measurements.push(measurement);
    }
  } finally {
    await stopStacks();
  }
}

const missed = measurements.filter((each) => judge(each) === "missed").length;
console.log(`\n${formatTable(measurements.map(toRow))}\n`);
console.log(`${missed} of ${measurements.length} budgets missed by more than the noise`);
Deno.exit(missed > 0 ? 1 : 0);

function toRow(measurement: Measurement) {
  const { what, rounds, unit, budget } = measurement;
  return {
    what,
    measured: `${median(rounds).toPrecision(3)} ${unit}`,
    noise: rounds.length > 1 ? quartiles(rounds).map((quartile) => quartile.toPrecision(3)).join(" to ") : "",
    budget: "atLeast" in budget ? `at least ${budget.atLeast} ${unit}` : `at most ${budget.atMost} ${unit}`,
    met: { "met": "yes", "within noise": "within noise", "missed": "MISSED" }[judge(measurement)],
  };
}
