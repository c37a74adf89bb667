/** `npm start`: starts the stack, says how to use it, and stops it on Ctrl-C or SIGTERM. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { banner } from "./banner.ts";
import { writeFileAtomically } from "./files.ts";
import { launch } from "./stack.ts";
import { lockDataDir } from "./lock.ts";
import { readOptions } from "./options.ts";
import { say } from "./output.ts";
import { isPortFree } from "./ports.ts";
import { endLeftovers } from "./processes.ts";
import { readFunctionsEnv } from "./secrets.ts";
import { Supervisor } from "./supervisor.ts";

const options = readOptions(Deno.args);
const startedAt = performance.now();

Deno.mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
const lock = lockDataDir(options.dataDir);
if (!lock) {
  fail(`A stack is running already with the data folder ${options.dataDir}.
Stop it first, or choose another folder and other ports: npm start -- --data-dir .local2 --port 54331 --db-port 54332`);
}

const stackFile = join(options.dataDir, "stack.json");
rmSync(stackFile, { force: true });
for (const name of await endLeftovers(options.dataDir)) {
  say(`Ended ${name}, which an earlier launcher that was killed had left running.`);
}
for (
  const [flag, variable, port] of [
    ["--port", "API_PORT", options.port],
    ["--db-port", "DB_PORT", options.dbPort],
  ] as const
) {
  if (isPortFree(port)) continue;
  lock.release();
  fail(
    `Port ${port} is in use. Stop what uses it, or choose another: npm start -- ${flag} <number>  (or ${variable}=<number>)`,
  );
}

const supervisor = new Supervisor(options.dataDir, (reason) => {
  void stop(1, `${reason}\nIt keeps dying, so everything was stopped.`);
});

let stopping = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => {
    // A terminal's Ctrl-C arrives twice, from the terminal and from npm.
    if (!stopping) say("\nStopping.");
    void stop(0);
  });
}
// npm passes SIGINT and SIGTERM on, but not the signals that it cannot or does not catch.
if (Deno.env.get("npm_lifecycle_event")) {
  const npm = Deno.ppid;
  setInterval(() => Deno.ppid === npm || stop(0), 500);
}

try {
  const stack = await launch(options, supervisor);
  if (!stopping) {
    writeFileAtomically(stackFile, JSON.stringify(stack, null, 2));
    const publicUrl = readFunctionsEnv().PUBLIC_FUNCTIONS_URL ??
      Deno.env.get("PUBLIC_FUNCTIONS_URL");
    const seconds = (performance.now() - startedAt) / 1000;
    say(banner(stack, options.dataDir, seconds, publicUrl || undefined));
  }
} catch (error) {
  await stop(1, `The stack could not start: ${(error as Error).message}`);
}

async function stop(code: number, reason = "Stopped."): Promise<void> {
  if (stopping) return;
  stopping = true;
  rmSync(stackFile, { force: true });
  await supervisor.stop();
  lock!.release();
  say(reason);
  Deno.exit(code);
}

function fail(message: string): never {
  console.error(message);
  Deno.exit(1);
}
