/** `npm run chaos`: shows that no fault loses a lead, or hands it out twice: npm run chaos -- --seed 7 */
import { Command, InvalidArgumentError } from "commander";
import { startThrowawayStack } from "../testing/throwaway_stack.ts";
import { reportTable } from "./report.ts";

const options = new Command("npm run chaos --")
  .description(
    "Sends requests of all routes to a stack of its own while its parts are killed, stopped and restarted, connections " +
      "are cut and rows are locked. Then it takes account of every request. Exits with 1 when one was lost, doubled, " +
      "orphaned, wrongly charged or wrongly answered.",
  )
  .option("--requests <number>", "how many requests, at least", wholeNumber, 20_000)
  .option("--faults <number>", "how many faults", wholeNumber, 24)
  .option("--rate <number>", "requests a second", wholeNumber, 100)
  .option("--most-under-way <number>", "no more requests at a time", wholeNumber, 1_000)
  .option("--seconds <number>", "how long a fault takes, about", wholeNumber, 3)
  .option("--seed <number>", "makes the same requests and faults again", wholeNumber)
  .option("--only <fault...>", "only these faults, by their names")
  .exitOverride(({ exitCode }) => Deno.exit(exitCode && 2))
  .parse(Deno.args, { from: "user" })
  .opts();

const stack = await startThrowawayStack();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, async () => {
    await stack.stop();
    Deno.exit(1);
  });
}

let failed = true;
try {
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
  console.log(`--seed ${seed}`);
  // What it imports reads stack.json.
  Deno.env.set("STACK_FILE", stack.file);
  const { runChaos } = await import("./run.ts");
  const report = await runChaos({ ...options, seed, say: console.log } as never);
  for (const { kind, what } of report.findings.slice(0, 30)) console.log(`${kind}: ${what}`);
  console.log(`\n${reportTable(report)}\n`);
  failed = report.findings.length > 0;
  console.log(failed ? `${report.findings.length} findings (--seed ${seed})` : "nothing is wrong");
} finally {
  await stack.stop();
}
Deno.exit(failed ? 1 : 0);

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) {
    throw new InvalidArgumentError("It must be a whole number above 0.");
  }
  return Number(text);
}
