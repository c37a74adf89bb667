/** `npm run admin`: administers the service, and looks into what it received. */
import process from "node:process";
import { createInterface } from "node:readline";
import { runCommandLine } from "./command_line.ts";
import { fitTables } from "./table.ts";
import { askOnTerminal, print, progressOnTerminal, readSecret } from "./terminal.ts";

if (Deno.stdout.isTerminal()) fitTables(Deno.consoleSize().columns || Infinity);
const { code, err } = await runCommandLine(Deno.args, {
  print,
  ask: askOnTerminal(),
  showProgress: progressOnTerminal(),
  readSecret,
  lines: () => createInterface({ input: process.stdin }),
  say: (text) => console.log(text),
});
if (err !== "") console.error(err);
Deno.exit(code);
