import { say } from "./terminal.ts";

/** Something that a command starts, and stops on Ctrl-C or SIGTERM. */
export interface Launched {
  /** Starts it, and says how to use it. */
  start(): Promise<void>;
  /** Stops all of it, also while it is still starting. */
  stop(): Promise<void>;
}

/**
 * Runs something until Ctrl-C, SIGTERM, or the end of npm, and exits.
 *
 * @param create gets what to call when it cannot go on, with the reason
 */
export async function launch(create: (giveUp: (reason: string) => void) => Launched): Promise<void> {
  let isStopping = false;
  const stop = async (code: number, reason = "Stopped.") => {
    if (isStopping) return;
    isStopping = true;
    await launched.stop();
    if (code === 0) say(reason);
    else console.error(reason);
    Deno.exit(code);
  };
  const launched = create((reason) => void stop(1, `${reason}\nEverything was stopped.`));
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
    await launched.start();
  } catch (error) {
    await stop(1, `The stack could not start: ${(error as Error).message}`);
  }
}
