/** `npm run status`: how to use the stack that runs, with every key and a command for the six main routes. */
import { join } from "node:path";
import { readLocation, stackCommand } from "./options.ts";
import { readPublicUrl, readStackInfo, type StackInfo } from "../stack_info.ts";
import { fullSummary, shellVariables } from "./summary.ts";

const { dataDir, json, env } = readLocation<{ json?: boolean; env?: boolean }>(
  stackCommand("npm run status", "Shows how to use the stack that runs.")
    .option("--json", "print stack.json")
    .option("--env", "print the variables that the commands in the docs need, for eval"),
);
let stack: StackInfo;
try {
  stack = readStackInfo(join(dataDir, "stack.json"));
} catch (error) {
  fail((error as Error).message);
}
if (env) {
  console.log(shellVariables(stack));
  Deno.exit(0);
}
const publicUrl = await readPublicUrl(stack).catch(() =>
  fail(
    `No stack answers at ${stack.api_url}, though ${dataDir}/stack.json names it. Start it again: npm start`,
  )
);
console.log(json ? JSON.stringify(stack, null, 2) : fullSummary(stack, dataDir, publicUrl));

function fail(message: string): never {
  console.error(message);
  Deno.exit(1);
}
