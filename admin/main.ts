/** `npm run admin`: administers agencies, agents, orders, vendors and keys. */
import { runCommandLine } from "./command_line.ts";
import { askOnTerminal } from "./terminal.ts";

const { code, out, err } = await runCommandLine(Deno.args, askOnTerminal());
if (out !== "") console.log(out.trimEnd());
if (err !== "") console.error(err);
Deno.exit(code);
