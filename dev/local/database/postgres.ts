import { existsSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import postgres from "postgres";
import { POSTGRES_HOME } from "../paths.ts";
import type { Part, Program, Supervisor } from "../processes/supervisor.ts";

/** The user `nobody` of Linux. */
const NOBODY = 65534;

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "256MB",
  max_wal_size: "2GB",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
  log_min_messages: "warning",
  // The detail of an error quotes the row it is about.
  log_error_verbosity: "terse",
  log_line_prefix: "%m [%p] ",
};

/** Tests connect hundreds of times, and derive the key from the password each time. */
const THROWAWAY = ["fsync=off", "full_page_writes=off", "scram_iterations=1"];

/** Opens one connection, for work that needs no pool. */
export function connect(url: string): postgres.Sql {
  return postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 5 });
}

/**
 * Makes the cluster if there is none. It gets its name when it is complete, so a start that is interrupted never leaves
 * half a cluster.
 *
 * @param isThrowaway its data need not survive a crash of the machine, only one of Postgres
 * @throws {Error} when the cluster is another user's
 */
export async function prepareCluster(
  supervisor: Supervisor,
  dataDir: string,
  password: string,
  isThrowaway = false,
): Promise<void> {
  linkLibraries();
  const cluster = join(dataDir, "postgres");
  if (existsSync(cluster)) {
    const owner = isRoot() ? NOBODY : Deno.uid();
    if (Deno.statSync(cluster).uid !== owner) {
      throw new Error(
        `${cluster} was made by another user. Empty it as that user (npm run reset), or choose another --data-dir.`,
      );
    }
    return;
  }

  const unfinished = join(dataDir, "postgres.new");
  const passwordFile = join(dataDir, "postgres.password");
  rmSync(unfinished, { recursive: true, force: true });
  Deno.mkdirSync(unfinished, { mode: 0o700 });
  if (isRoot()) Deno.chownSync(unfinished, NOBODY, NOBODY);
  Deno.writeTextFileSync(passwordFile, password, { mode: 0o600 });
  try {
    await supervisor.run(withoutRoot({
      name: "initdb",
      command: join(POSTGRES_HOME, "bin/initdb"),
      args: [
        ...["--pgdata", unfinished],
        ...["--username", "postgres", "--pwfile", passwordFile, "--auth", "scram-sha-256"],
        ...["--encoding", "UTF8", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"],
        ...["--no-sync", "--no-instructions"],
        ...(isThrowaway ? THROWAWAY.flatMap((setting) => ["--set", setting]) : []),
      ],
      env: { LC_ALL: "C" },
    }));
  } finally {
    rmSync(passwordFile, { force: true });
  }
  Deno.renameSync(unfinished, cluster);
}

/** The database server. Committed data survives a crash, because fsync and synchronous_commit keep their defaults. */
export function postgresPart(dataDir: string, port: number, url: string): Part {
  return {
    ...withoutRoot({
      name: "postgres",
      command: join(POSTGRES_HOME, "bin/postgres"),
      args: [
        ...["-D", join(dataDir, "postgres"), "-p", String(port)],
        ...Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      ],
      env: { LC_ALL: "C" },
    }),
    stopSignal: "SIGINT",
    async isReady() {
      const sql = connect(url);
      try {
        await sql`select 1`;
        return true;
      } finally {
        await sql.end();
      }
    },
  };
}

/**
 * Postgres refuses to run as root, so root runs it as `nobody`. It keeps one capability, to reach its binaries and data
 * below folders that only root may enter, such as a checkout in root's home. `no_setuid_fixup` is for initdb: without
 * it, access(2) does not look at capabilities.
 */
function withoutRoot(program: Program): Program {
  if (!isRoot()) return program;
  return {
    ...program,
    command: "setpriv",
    args: [
      ...["--reuid", String(NOBODY), "--regid", String(NOBODY), "--clear-groups"],
      ...["--inh-caps", "+dac_override", "--ambient-caps", "+dac_override"],
      ...["--securebits", "+no_setuid_fixup"],
      ...["--", program.command, ...program.args],
    ],
  };
}

function isRoot(): boolean {
  return Deno.uid() === 0;
}

/** Makes the links to library versions that the package's install script makes, in case npm has not run the script. */
function linkLibraries(): void {
  const links: { source: string; target: string }[] = JSON.parse(
    Deno.readTextFileSync(join(POSTGRES_HOME, "pg-symlinks.json")),
  );
  for (const { source, target } of links) {
    const path = join(dirname(POSTGRES_HOME), target);
    try {
      if (!existsSync(path)) Deno.symlinkSync(basename(source), path);
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
}
