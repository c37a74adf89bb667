/** `npm start`: starts the stack, says how to use it, and stops it on Ctrl-C or SIGTERM. */
import { readLocation, readSettings, stackCommand } from "./options.ts";
import { LocalStack } from "../stack.ts";
import { readPublicUrl } from "../stack_info.ts";
import { shortSummary } from "./summary.ts";
import { say, showLog } from "./terminal.ts";

const { verbose = false, ...location } = readLocation<{ verbose?: boolean }>(
  stackCommand("npm start", "Starts the whole service on this machine. Ctrl-C stops it.")
    .option("--verbose", "show what every part logs"),
);
const startedAt = performance.now();
let isStopping = false;
const stack = new LocalStack({
  ...location,
  settings: readSettings(),
  hasDesk: true,
  say,
  show: (part, lines) => showLog(part, lines, verbose),
  giveUp: (reason) => void stop(1, `${reason}\nEverything was stopped.`),
});

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => {
    // A terminal's Ctrl-C arrives twice, from the terminal and from npm.
    if (!isStopping) say("\nStopping.");
    void stop(0);
  });
}
// npm passes SIGINT and SIGTERM on, but not the signals that it cannot or does not catch.
if (Deno.env.get("npm_lifecycle_event")) {
  const npm = Deno.ppid;
  setInterval(() => Deno.ppid === npm || stop(0), 500);
}

try {
  const info = await stack.start();
  const publicUrl = await readPublicUrl(info);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  say(`\n${shortSummary(info, location.dataDir, publicUrl)}\n`);
  say(`Ready in ${seconds} s. Ctrl-C stops it.`);
} catch (error) {
  await stop(1, `The stack could not start: ${(error as Error).message}`);
}

async function stop(code: number, reason = "Stopped."): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await stack.stop();
  if (code === 0) say(reason);
  else console.error(reason);
  Deno.exit(code);
}
