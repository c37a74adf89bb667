import { randomBytes } from "node:crypto";
import { freePorts, postgresPart, prepareCluster, Supervisor } from "../../local/mod.ts";

/**
 * Runs a Postgres server in a temporary folder while a function uses it. The whole stack would be too much: it applies
 * the seed, which may already need what the migrations still lack.
 *
 * @param use is given the server's connection string, of a role that may do everything
 */
export async function withServer<T>(use: (dbUrl: string) => Promise<T>): Promise<T> {
  const dataDir = Deno.makeTempDirSync({ prefix: "lead-intake-" });
  const [port] = freePorts(1) as [number];
  const password = randomBytes(24).toString("hex");
  const dbUrl = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  const supervisor = new Supervisor(dataDir, {
    giveUp(reason) {
      console.error(reason);
      Deno.exit(1);
    },
  });
  try {
    await prepareCluster(supervisor, dataDir, password, true);
    await supervisor.start(postgresPart(dataDir, port, dbUrl));
    return await use(dbUrl);
  } finally {
    await supervisor.stop();
    Deno.removeSync(dataDir, { recursive: true });
  }
}
