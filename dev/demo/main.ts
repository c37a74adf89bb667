/** `npm run demo`: the service with 30 days behind it, and with vendors and recruits who go on. */
import { resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { launch, readOptions, readPort, ROOT } from "../local/mod.ts";
import { Demo, type DemoOptions } from "./demo.ts";
import { MOST_LEADS } from "./plan.ts";

const options = readOptions<DemoOptions>(
  new Command("npm run demo --")
    .description("Starts the service with 30 days behind it, and with vendors and recruits who go on. Ctrl-C stops it.")
    .addOption(
      new Option("--port <number>", "port of the API; the doubles take the three from 9 above it").default(54421)
        .argParser(readPort),
    )
    .addOption(new Option("--db-port <number>", "port of Postgres").default(54422).argParser(readPort))
    .addOption(new Option("--data-dir <folder>", "its own folder, relative to the checkout").default(".local-demo"))
    .addOption(
      new Option("--seed <number>", "another world: the same number makes the same one").default(1).argParser(Number),
    )
    .addOption(new Option("--pace <number>", "leads that vendors post a minute").default(6).argParser(Number))
    .option("--reset", "begin anew")
    .addOption(new Option("--leads <number>").hideHelp().default(MOST_LEADS).argParser(Number))
    .addOption(
      new Option("--db-url <url>").hideHelp().argParser(() => {
        throw new InvalidArgumentError(
          "The demonstration has a database of its own. It never touches another stack or a hosted project.",
        );
      }),
    ),
);
const dataDir = resolve(ROOT, options.dataDir);
await launch((giveUp) => new Demo({ ...options, dataDir }, giveUp));
