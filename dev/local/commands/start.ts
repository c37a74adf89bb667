/** `npm start`: starts the stack, says how to use it, and stops it on Ctrl-C or SIGTERM. */
import { launch } from "./launcher.ts";
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

await launch((giveUp) => {
  const stack = new LocalStack({
    ...location,
    settings: readSettings(),
    hasDesk: true,
    say,
    show: (part, lines) => showLog(part, lines, verbose),
    giveUp,
  });
  return {
    async start() {
      const info = await stack.start();
      const publicUrl = await readPublicUrl(info);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      say(`\n${shortSummary(info, location.dataDir, publicUrl)}\n`);
      say(`Ready in ${seconds} s. Ctrl-C stops it.`);
    },
    stop: () => stack.stop(),
  };
});
