import { createHash, randomBytes } from "node:crypto";
import type postgres from "postgres";
import { bootstrapFiles, connect, freePorts, litePart, roleKey, Supervisor } from "../../local/mod.ts";
import type { SqlFile } from "./files.ts";

/** Databases for a test or a command, on a server that is thrown away with them. */
export interface Scratch {
  /** Makes a database as a hosted project has it before its first migration, and returns its connection string. */
  create(): Promise<string>;
  /**
   * Makes such a database and applies the files to it.
   *
   * @throws {Error} naming the file that does not apply, with the line where Postgres tells it
   */
  build(files: SqlFile[]): Promise<string>;
  /** Copies a database to which nobody is connected, and returns the connection string of the copy. */
  copy(url: string): Promise<string>;
}

/** A database of the server. */
interface Database {
  name: string;
  url: string;
}

/**
 * Gives a function scratch databases on a server. What they are copied from stays there too, so that the next one is
 * made in a moment.
 *
 * @param dbUrl the server's connection string, of a role that may create databases
 */
export async function withScratch<T>(
  dbUrl: string,
  use: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const admin = connect(dbUrl);
  const copy = async (template: string): Promise<Database> => {
    const name = `scratch_${randomBytes(6).toString("hex")}`;
    await admin.unsafe(`create database ${name} template ${template}`);
    // A copy has all that is in its template, but not the settings of the database itself.
    await admin.unsafe(`alter database ${name} set search_path to "$user", public, extensions`);
    const url = new URL(dbUrl);
    url.pathname = `/${name}`;
    return { name, url: url.href };
  };
  /** Makes a template from another one, unless it is there. Several processes may ask for it at the same time. */
  const provide = async (
    name: string,
    template: string,
    fill: (database: Database) => Promise<void>,
  ): Promise<string> => {
    await admin`select pg_advisory_lock(hashtext(${name}))`;
    try {
      const [isThere] = await admin`select from pg_database where datname = ${name}`;
      if (!isThere) {
        const database = await copy(template);
        await fill(database);
        await admin.unsafe(`alter database ${database.name} rename to ${name}`);
      }
    } finally {
      await admin`select pg_advisory_unlock(hashtext(${name}))`;
    }
    return name;
  };
  const empty = () =>
    provide("template_empty", "template1", async (database) => {
      await applyFiles(database.url, bootstrapFiles());
      await addAuthAndStorage(admin, database);
    });
  try {
    return await use({
      create: async () => (await copy(await empty())).url,
      async build(files) {
        const hash = createHash("md5").update(JSON.stringify(files)).digest("hex");
        const fill = ({ url }: Database) => applyFiles(url, files);
        return (await copy(await provide(`template_${hash}`, await empty(), fill))).url;
      },
      copy: async (url) => (await copy(new URL(url).pathname.slice(1))).url,
    });
  } finally {
    await admin.end();
  }
}

/**
 * Applies files of SQL as migrations are applied: each in a transaction, unless it has only one statement, which may
 * refuse one.
 *
 * @throws {Error} naming the file that does not apply, with the line where Postgres tells it
 */
export async function applyFiles(url: string, files: SqlFile[]): Promise<void> {
  const sql = connect(url);
  try {
    for (const { path, text } of files) {
      // The statements of one message are one transaction.
      await sql.unsafe(text).simple().catch(({ message, position }: postgres.PostgresError) => {
        const line = text.slice(0, Number(position)).split("\n").length;
        throw new Error(`${path}${position ? `:${line}` : ""}: ${message}`);
      });
    }
  } finally {
    await sql.end();
  }
}

/** Lets the stack's own service for auth and storage make their schemas, as it does at its start. */
async function addAuthAndStorage(
  admin: postgres.Sql,
  { name, url }: Database,
): Promise<void> {
  const [port] = freePorts(1) as [number];
  const home = Deno.makeTempDirSync({ prefix: "lead-intake-" });
  const jwtSecret = randomBytes(32).toString("hex");
  const supervisor = new Supervisor(home, {});
  // The role must own the objects that it makes, as in the stack. Its password there is not known here.
  await admin.unsafe(`alter database ${name} set role to supabase_lite`);
  try {
    await supervisor.start(litePart({
      dataDir: home,
      url,
      jwtSecret,
      serviceRoleKey: await roleKey("service_role", jwtSecret),
      siteUrl: "http://127.0.0.1",
      port,
    }));
  } finally {
    await supervisor.stop();
    Deno.removeSync(home, { recursive: true });
    await admin.unsafe(`alter database ${name} reset role`);
  }
}
