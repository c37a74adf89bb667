/** `npm run chaos`: shows that no fault loses a lead, or hands it out twice: npm run chaos -- --seed 7 */
import { Command, InvalidArgumentError } from "commander";
import { commandAndMachine } from "../bench/report.ts";
import { startStack, stopStacks } from "../bench/stacks.ts";
import { reportTable } from "./report.ts";

const { seed = Math.floor(Math.random() * 1e9), ...options } = new Command("npm run chaos --")
  .description(
    "Sends requests of all routes to a stack of its own, in turns to two processes with its functions, while its parts " +
      "are killed, stopped and restarted. Then it takes account of every request. " +
      "Exits with 1 when one was lost, doubled, orphaned, wrongly charged or wrongly answered.",
  )
  .option("--requests <number>", "how many requests, at least", wholeNumber, 20_000)
  .option("--faults <number>", "how many faults", wholeNumber, 22)
  .option("--seed <number>", "makes the same requests and faults again", wholeNumber)
  .option("--only <fault...>", "only these faults, by their names in dev/chaos/faults.ts")
  .exitOverride(({ exitCode }) => Deno.exit(exitCode && 2))
  .parse(Deno.args, { from: "user" })
  .opts();

let isRight = false;
try {
  const stack = await startStack();
  // The modules imported from here on read stack.json.
  Deno.env.set("STACK_FILE", stack.file);
  const { runChaos } = await import("./run.ts");
  console.log(`--seed ${seed}`);
  const report = await runChaos({
    gateways: [stack.api_url, await stack.addGateway()],
    requests: options.requests,
    faults: options.faults,
    only: options.only,
    rate: 100,
    seconds: 3,
    seed,
    say: console.log,
  });
  const { findings } = report;
  for (const { kind, what } of findings.slice(0, 30)) console.log(`${kind}: ${what}`);
  console.log(`\nThe last run: ${commandAndMachine("chaos")}.\n\n${reportTable(report)}`);
  console.log(findings.length > 0 ? `${findings.length} findings` : "Nothing is wrong.");
  isRight = findings.length === 0;
} finally {
  await stopStacks();
}
Deno.exit(isRight ? 0 : 1);

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) {
    throw new InvalidArgumentError("It must be a whole number above 0.");
  }
  return Number(text);
}
