import { join } from "node:path";
import { parseEnv } from "node:util";
import { freePorts, LocalStack, ROOT, type StackInfo } from "../local/mod.ts";

/** A stack of its own on free ports, whose data is removed when it stops. */
export interface ThrowawayStack extends StackInfo {
  /** Its `stack.json`, for STACK_FILE. */
  file: string;
  /** PostgREST without the gateway. */
  restUrl: string;
  /** The last lines that the gateway and the functions logged. */
  tail(): string;
  /** Starts one more process with the functions, and returns the URL that stands in for `api_url`. */
  addGateway(): Promise<string>;
  stop(): Promise<void>;
}

/** Each setting of the functions as blank, so that nothing that the developer has set counts. */
export function blankSettings(): Record<string, string> {
  const variables = parseEnv(Deno.readTextFileSync(join(ROOT, "supabase/functions/.env.example")));
  return Object.fromEntries(Object.keys(variables).map((name) => [name, ""]));
}

/**
 * Starts a stack in a temporary folder. Nothing that the developer has set reaches it.
 *
 * @param settings what its secrets and functions are set to, by the name of the environment variable
 * @param options waitsForDisk: whether a commit waits until the disk has it; hasDesk: whether it serves the desk
 * @throws {Error} saying why, when it cannot start
 */
export async function startThrowawayStack(
  settings: Record<string, string> = {},
  { waitsForDisk = false, hasDesk = false } = {},
): Promise<ThrowawayStack> {
  const dataDir = Deno.makeTempDirSync({ prefix: "lead-intake-" });
  const [port, dbPort] = freePorts(2) as [number, number];
  let logged: string[] = [];
  const note = (lines: string[]) => logged = [...logged, ...lines].slice(-40);
  const stack = new LocalStack({
    port,
    dbPort,
    dataDir,
    settings: {
      ...blankSettings(),
      // The one of `supabase start`, so that database tests which open connections run on both.
      DB_PASSWORD: "postgres",
      // Saving a file while tests or benchmarks run must not restart what they talk to.
      FUNCTIONS_RELOAD: "off",
      ...settings,
    },
    hasDesk,
    isThrowaway: !waitsForDisk,
    say: (text) => note([text]),
    // The other parts mostly log errors that tests cause on purpose.
    show: (part, lines) => part === "gateway" && note(lines),
    giveUp: (reason) => console.error(reason),
  });
  const stop = async () => {
    await stack.stop();
    await Deno.remove(dataDir, { recursive: true });
  };
  try {
    const info = await stack.start();
    const { file, restUrl } = stack;
    const addGateway = () => stack.addGateway();
    return { ...info, file, restUrl, tail: () => logged.join("\n"), addGateway, stop };
  } catch (error) {
    await stop();
    throw new Error(`The stack for the tests could not start: ${(error as Error).message}`);
  }
}
