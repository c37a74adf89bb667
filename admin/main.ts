/** `npm run admin`: administers the service, and looks into what it received. */
import { runCommandLine } from "./command_line.ts";
import { askOnTerminal, progressOnTerminal, readSecret } from "./terminal.ts";

const { code, out, err } = await runCommandLine(Deno.args, {
  ask: askOnTerminal(),
  showProgress: progressOnTerminal(),
  readSecret,
});
if (out !== "") console.log(out.trimEnd());
if (err !== "") console.error(err);
Deno.exit(code);
