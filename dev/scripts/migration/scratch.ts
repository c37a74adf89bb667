import { randomBytes } from "node:crypto";
import type postgres from "postgres";
import { bootstrapFiles, connect, freePorts, litePart, roleKey } from "../../local/mod.ts";
import type { SqlFile } from "./files.ts";
import { splitStatements, type Statement } from "./statements.ts";

/** Databases that exist only while a function runs. */
export interface Scratch {
  /** Makes a database as a hosted project has it before its first migration, and returns its connection string. */
  create(): Promise<string>;
  /**
   * Makes such a database and applies the files to it.
   *
   * @throws {Error} naming the file and the line that does not apply
   */
  build(files: SqlFile[]): Promise<string>;
}

/**
 * Gives a function scratch databases on the server of a running stack, and drops them afterwards.
 *
 * @param dbUrl the stack's connection string, of a role that may create databases
 */
export async function withScratch<T>(
  dbUrl: string,
  use: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const prefix = `scratch_${randomBytes(4).toString("hex")}`;
  const admin = connect(dbUrl);
  const made: string[] = [];
  const create = async (template: string) => {
    const name = `${prefix}_${made.length}`;
    await admin.unsafe(`create database ${name} template ${template}`);
    made.push(name);
    const url = new URL(dbUrl);
    url.pathname = `/${name}`;
    return { name, url: url.href };
  };
  try {
    const template = await create("template1");
    await applyFiles(template.url, bootstrapFiles());
    await addAuthAndStorage(admin, template);
    const createCopy = async () => {
      const { name, url } = await create(template.name);
      // A copy has all that is in its template, but not the settings of the database itself.
      await admin.unsafe(
        `alter database ${name} set search_path to "$user", public, extensions`,
      );
      return url;
    };
    return await use({
      create: createCopy,
      async build(files) {
        const url = await createCopy();
        await applyFiles(url, files);
        return url;
      },
    });
  } finally {
    await admin.end();
    // At once, because each waits for a checkpoint.
    await Promise.all(made.map(async (name) => {
      const sql = connect(dbUrl);
      await sql.unsafe(`drop database ${name} with (force)`);
      await sql.end();
    }));
  }
}

/**
 * Applies files of SQL as migrations are applied: each in a transaction, unless it has only one statement.
 *
 * @throws {Error} naming the file and the line that does not apply
 */
export async function applyFiles(url: string, files: SqlFile[]): Promise<void> {
  const sql = connect(url);
  try {
    for (const { path, text } of files) {
      const statements = splitStatements(text);
      // Some statements refuse a transaction, such as create index concurrently. They stand alone in their file.
      if (statements.length === 1) await applyStatements(sql, path, statements);
      else await sql.begin((transaction) => applyStatements(transaction, path, statements));
    }
  } finally {
    await sql.end();
  }
}

async function applyStatements(
  sql: postgres.ISql,
  path: string,
  statements: Statement[],
): Promise<void> {
  for (const statement of statements) {
    try {
      await sql.unsafe(statement.text).simple();
    } catch (error) {
      const { message, position } = error as postgres.PostgresError;
      const before = statement.text.slice(0, Number(position ?? 1) - 1);
      const line = statement.line + before.split("\n").length - 1;
      throw new Error(`${path}:${line}: ${message}`);
    }
  }
}

/** Lets the stack's own service for auth and storage make their schemas, as it does at its start. */
async function addAuthAndStorage(
  admin: postgres.Sql,
  { name, url }: { name: string; url: string },
): Promise<void> {
  const [port] = freePorts(1) as [number];
  const home = Deno.makeTempDirSync({ prefix: "lead-intake-" });
  const jwtSecret = randomBytes(32).toString("hex");
  const part = litePart({
    dataDir: home,
    url,
    jwtSecret,
    serviceRoleKey: await roleKey("service_role", jwtSecret),
    siteUrl: "http://127.0.0.1",
    port,
  });
  // It must own what it makes, as in the stack. Its password there is not known here.
  await admin.unsafe(`alter database ${name} set role to supabase_lite`);
  const child = new Deno.Command(part.command, {
    args: part.args,
    cwd: part.cwd,
    env: part.env,
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const printed = new Response(child.stderr).text();
  let isRunning = true;
  const ended = child.status.then(() => isRunning = false);
  try {
    while (!await part.isReady().catch(() => false)) {
      if (!isRunning) throw new Error(`Auth and storage could not start:\n${await printed}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  } finally {
    if (isRunning) child.kill("SIGTERM");
    await ended;
    Deno.removeSync(home, { recursive: true });
    await admin.unsafe(`alter database ${name} reset role`);
  }
}
