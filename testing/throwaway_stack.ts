import { rmSync } from "node:fs";
import { join } from "node:path";
import { freePorts, GENERATORS, readStackInfo, ROOT, type StackInfo } from "../local/mod.ts";

/** A stack of its own on free ports, whose data is removed when it stops. */
export interface ThrowawayStack extends StackInfo {
  /** Its `stack.json`, for STACK_FILE. */
  file: string;
  /** The last lines of what it printed. */
  tail(): string;
  stop(): Promise<void>;
}

/**
 * Starts a stack in a temporary folder, as `npm start` does.
 *
 * @throws {Error} with what it printed, when it ends before it is ready
 */
export async function startThrowawayStack(): Promise<ThrowawayStack> {
  const dataDir = Deno.makeTempDirSync({ prefix: "lead-intake-" });
  const [port, dbPort] = freePorts(2);
  const noSecrets = Object.fromEntries(Object.keys(GENERATORS).map((name) => [name, ""]));
  const child = new Deno.Command("sh", {
    args: [join(ROOT, "scripts/run.sh"), "local/start.ts"],
    // Its secrets are its own, so that a test never depends on what the developer has set.
    env: {
      API_PORT: `${port}`,
      DB_PORT: `${dbPort}`,
      DATA_DIR: dataDir,
      // The one of `supabase start`, so that database tests which open connections run on both.
      DB_PASSWORD: "postgres",
      FUNCTIONS_ENV_FILE: "/dev/null",
      // Saving a file while tests or benchmarks run must not restart what they talk to.
      FUNCTIONS_RELOAD: "off",
      ...noSecrets,
    },
    detached: true,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();

  let printed = "";
  const output = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      printed = (printed + text).slice(-20_000);
    }
  })();
  const tail = () => printed.trimEnd().split("\n").slice(-40).join("\n");
  let isRunning = true;
  const ended = child.status.then(() => isRunning = false);
  const stop = async () => {
    if (isRunning) child.kill("SIGTERM");
    await ended;
    await output;
    rmSync(dataDir, { recursive: true, force: true });
  };

  const file = join(dataDir, "stack.json");
  while (isRunning) {
    try {
      return { ...readStackInfo(file), file, tail, stop };
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  await stop();
  throw new Error(`The stack for the tests could not start.\n${tail()}`);
}
