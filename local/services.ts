import { join } from "node:path";
import { LITE_CLI, postgrestBinary, ROOT } from "./paths.ts";
import type { Part } from "./supervisor.ts";

/** What every service needs to know of the others. */
export interface Wiring {
  apiUrl: string;
  /** Connection string of the role that auth and storage log in with. */
  liteDbUrl: string;
  /** Connection string of the role PostgREST logs in with. */
  authenticatorUrl: string;
  jwtSecret: string;
  /** Where PostgREST listens on 127.0.0.1. */
  restPort: number;
  /** Where PostgREST tells whether it is ready. */
  restAdminPort: number;
  /** Where auth and storage listen on 127.0.0.1. */
  litePort: number;
}

/** The data API. */
export function postgrestPart(
  wiring: Pick<Wiring, "authenticatorUrl" | "jwtSecret" | "restPort" | "restAdminPort">,
): Part {
  return {
    name: "postgrest",
    command: postgrestBinary(),
    args: [],
    env: {
      PGRST_DB_URI: wiring.authenticatorUrl,
      PGRST_DB_POOL: "10",
      PGRST_DB_SCHEMAS: "public",
      PGRST_DB_EXTRA_SEARCH_PATH: "public, extensions",
      PGRST_DB_ANON_ROLE: "anon",
      PGRST_DB_MAX_ROWS: "1000",
      PGRST_JWT_SECRET: wiring.jwtSecret,
      PGRST_SERVER_HOST: "127.0.0.1",
      PGRST_SERVER_PORT: String(wiring.restPort),
      PGRST_ADMIN_SERVER_PORT: String(wiring.restAdminPort),
      PGRST_LOG_LEVEL: "error",
    },
    isReady: () => answers(`http://127.0.0.1:${wiring.restAdminPort}/ready`),
  };
}

/** Auth and storage. Its own data API stays unused. */
export function litePart(dataDir: string, wiring: Wiring): Part {
  const home = join(dataDir, "lite");
  Deno.mkdirSync(join(home, "supabase"), { recursive: true });
  Deno.writeTextFileSync(
    join(home, "supabase/config.toml"),
    [
      "[api]",
      `port = ${wiring.litePort}`,
      "[db]",
      `driver = "postgres"`,
      `url = ${JSON.stringify(`${wiring.liteDbUrl}?client_min_messages=error`)}`,
      "[auth]",
      "enabled = true",
      "enable_signup = true",
      `jwt_secret = ${JSON.stringify(wiring.jwtSecret)}`,
      `site_url = ${JSON.stringify(wiring.apiUrl)}`,
      "[auth.email]",
      "enable_confirmations = false",
      "[storage]",
      "enabled = true",
      `file_size_limit = "10MiB"`,
      "",
    ].join("\n"),
    { mode: 0o600 },
  );
  return {
    name: "lite",
    // By Deno, because below Node 22 its downloads break off.
    command: Deno.execPath(),
    args: [
      ...["run", "--quiet", "--allow-all", LITE_CLI],
      ...["start", "--no-admin", "--config", join(home, "supabase/config.toml")],
    ],
    cwd: home,
    env: { EXPERIMENTAL_STORAGE: "1", LITE_NON_INTERACTIVE: "1", CI: "1" },
    isReady: () => answers(`http://127.0.0.1:${wiring.litePort}/auth/v1/health`),
    // Storage may go on failing when Postgres was restarted under it.
    restartsWith: "postgres",
  };
}

/**
 * The gateway with the edge functions. Deno starts it again when a file of theirs changes, unless FUNCTIONS_RELOAD is
 * `off`.
 */
export function gatewayPart(apiUrl: string, env: Record<string, string>): Part {
  const watch = ["--watch=supabase/functions", "--watch-exclude=**/*.test.ts", "--no-clear-screen"];
  const reload = Deno.env.get("FUNCTIONS_RELOAD") === "off" ? [] : watch;
  return {
    name: "gateway",
    command: Deno.execPath(),
    args: ["run", "--quiet", "--allow-all", ...reload, "local/gateway.ts"],
    cwd: ROOT,
    env,
    isReady: () => answers(`${apiUrl}/health`),
  };
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.body?.cancel();
  return response.ok;
}
