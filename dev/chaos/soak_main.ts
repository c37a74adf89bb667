/** `npm run soak`: shows that nothing grows with time but what is stored: npm run soak -- --minutes 10 */
import { Command } from "commander";
import { formatTable } from "../../admin/table.ts";
import { commandAndMachine } from "../bench/report.ts";
import { onOwnStack, wholeNumber } from "./command.ts";

const options = new Command("npm run soak --")
  .description(
    "Sends requests of all routes to a stack of its own at half the rate that it can do, and measures memory, " +
      "connections, latency, errors and sizes meanwhile. Exits with 1 when a request failed, or a figure grew over the " +
      "second half by more than its noise.",
  )
  .option("--minutes <number>", "for how long", wholeNumber, 10)
  .option(
    "--rate <number>",
    "requests a second, in place of half of what the stack can do",
    wholeNumber,
  )
  .option("--seed <number>", "makes the same requests again", wholeNumber)
  .exitOverride(({ exitCode }) => Deno.exit(exitCode && 2))
  .parse(Deno.args, { from: "user" })
  .opts();

await onOwnStack(options.seed, async (seed) => {
  const { BY_CHECKPOINT, runSoak } = await import("./soak.ts");
  const { minutes } = options;
  const { capacity, rate, requests, failures, trends } = await runSoak({
    ...{ minutes, seed, say: console.log },
    rate: options.rate,
  });
  const rows = Object.entries(trends).map((
    [what, { start, middle, end, growth, noise, isFlat }],
  ) => ({
    what,
    "at the start": figure(start),
    "in the middle": figure(middle),
    "at the end": figure(end),
    "second half": `${growth < 0 ? "" : "+"}${figure(growth)}`,
    noise: figure(noise),
    flat: BY_CHECKPOINT.includes(what) ? null : isFlat ? "yes" : "NO",
  }));
  const growing = rows.filter(({ flat }) => flat === "NO");
  console.log(
    `\nThe last run: ${commandAndMachine("soak", seed)}; ${rate.toFixed(0)} requests a second of ${
      capacity.toFixed(0)
    } that are possible, ${
      requests.toLocaleString("en")
    } in all, ${failures} without a success at once.\n`,
  );
  console.log(formatTable(rows));
  console.log(growing.length === 0 ? "All is flat." : `${growing.length} figures grew.`);
  return failures === 0 && growing.length === 0;
});

function figure(value: number): string {
  return value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0);
}
