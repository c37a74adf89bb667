/** `npm run admin`: administers the service, and looks into what it received. */
import { runCommandLine } from "./command_line.ts";
import { askOnTerminal, progressOnTerminal } from "./terminal.ts";

const { code, out, err } = await runCommandLine(
  Deno.args,
  askOnTerminal(),
  progressOnTerminal(),
);
if (out !== "") console.log(out.trimEnd());
if (err !== "") console.error(err);
Deno.exit(code);
