import { join } from "node:path";
import { MAIL_FOLDER } from "./lite/mail_folder.ts";
import { postgrestBinary, ROOT } from "./paths.ts";
import type { Part } from "./processes/supervisor.ts";

/** The data API. `url` is what it logs in with; it tells on `adminPort` whether it is ready. */
export function postgrestPart(
  { url, jwtSecret, port, adminPort, connections = 10 }: {
    url: string;
    jwtSecret: string;
    port: number;
    adminPort: number;
    connections?: number;
  },
): Part {
  return {
    name: "postgrest",
    command: postgrestBinary(),
    args: [],
    env: {
      PGRST_DB_URI: url,
      PGRST_DB_POOL: String(connections),
      PGRST_DB_SCHEMAS: "public",
      PGRST_DB_EXTRA_SEARCH_PATH: "public, extensions",
      PGRST_DB_ANON_ROLE: "anon",
      PGRST_DB_MAX_ROWS: "1000",
      PGRST_JWT_SECRET: jwtSecret,
      PGRST_SERVER_HOST: "127.0.0.1",
      PGRST_SERVER_PORT: String(port),
      PGRST_ADMIN_SERVER_PORT: String(adminPort),
      PGRST_LOG_LEVEL: "error",
      // With more threads of its runtime, each request costs a third more processor time.
      GHCRTS: "-N1",
    },
    isReady: () => isOk(`http://127.0.0.1:${adminPort}/ready`),
  };
}

/**
 * Auth and storage. `url` is what they log in with. Stored objects are kept in `<dataDir>/lite`, e-mails in
 * `<dataDir>/mail`.
 */
export function litePart(
  { dataDir, url, jwtSecret, serviceRoleKey, siteUrl, port }: {
    dataDir: string;
    url: string;
    jwtSecret: string;
    serviceRoleKey: string;
    siteUrl: string;
    port: number;
  },
): Part {
  const home = join(dataDir, "lite");
  Deno.mkdirSync(home, { recursive: true });
  return {
    name: "lite",
    command: Deno.execPath(),
    args: ["run", "--quiet", "--allow-all", join(ROOT, "dev/local/lite/main.ts")],
    cwd: home,
    env: {
      EXPERIMENTAL_STORAGE: "1",
      LITE_CONFIG: join(ROOT, "dev/local/lite/config.toml"),
      LITE_DB_URL: `${url}?client_min_messages=error`,
      LITE_JWT_SECRET: jwtSecret,
      LITE_MAIL_FOLDER: join(dataDir, MAIL_FOLDER),
      LITE_SERVICE_ROLE_KEY: serviceRoleKey,
      LITE_SITE_URL: siteUrl,
      LITE_PORT: String(port),
    },
    isReady: () => isOk(`http://127.0.0.1:${port}/auth/v1/health`),
  };
}

/** The gateway with the edge functions, which starts again when a file of theirs changes if it `reloads`. */
export function gatewayPart(
  { url, env, reloads }: { url: string; env: Record<string, string>; reloads: boolean },
): Part {
  // A request's signal then tells that the caller has gone, and not also that it has its response.
  const flags = ["--quiet", "--allow-all", "--unstable-no-legacy-abort"];
  const watch = ["--watch=supabase/functions", "--watch-exclude=**/*.test.ts", "--no-clear-screen"];
  return {
    name: "gateway",
    command: Deno.execPath(),
    args: ["run", ...flags, ...(reloads ? watch : []), "dev/local/gateway/main.ts"],
    env,
    isReady: () => isOk(`${url}/health`),
  };
}

async function isOk(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.body?.cancel();
  return response.ok;
}
