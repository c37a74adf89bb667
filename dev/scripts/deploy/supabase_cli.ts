import { ROOT, SUPABASE_CLI } from "../../local/mod.ts";

interface ApiKey {
  name: string;
  type?: string | null;
  api_key?: string | null;
}

/** The pinned Supabase CLI, for one hosted project. */
export class SupabaseCli {
  /** The option that names the project. */
  readonly target: string;

  constructor(projectRef: string) {
    this.target = `--remote=${projectRef}`;
  }

  /**
   * The names of the secrets that the project's functions get. Nobody sees their values: the platform gives digests.
   *
   * @throws {Error} in the CLI's own words, when it is not logged in or may not read them
   */
  async secretNames(): Promise<string[]> {
    const args = ["secrets", "list", this.target, "--output-format", "json"];
    const { success, stdout } = await this.#command(args, { stdout: "piped" }).output();
    const response = JSON.parse(new TextDecoder().decode(stdout));
    if (!success) throw new Error(response.error.message);
    return response.secrets.map(({ name }: { name: string }) => name);
  }

  /**
   * A key of the project that everybody may know: a publishable one, else the older anon key.
   *
   * @throws {Error} in the CLI's own words, or when there is none
   */
  async publicKey(): Promise<string> {
    const args = ["projects", "api-keys", this.target, "--output-format", "json"];
    const { success, stdout } = await this.#command(args, { stdout: "piped" }).output();
    const response = JSON.parse(new TextDecoder().decode(stdout));
    if (!success) throw new Error(response.error.message);
    const keys: ApiKey[] = response.keys;
    const key = keys.find(({ type }) => type === "publishable") ??
      keys.find(({ name }) => name === "anon");
    if (!key?.api_key) throw new Error("the project has no publishable key");
    return key.api_key;
  }

  /**
   * Applies the migrations that the project's database lacks, or only lists them. Never the seed.
   *
   * @param dbUrl its connection string; unless given, the CLI finds it by the project
   */
  async pushMigrations(dbUrl: string | undefined, dryRun: boolean): Promise<void> {
    const { target, env } = this.#databaseTarget(dbUrl);
    await this.#run(["db", "push", target, dryRun ? "--dry-run" : "--yes"], env);
  }

  /**
   * Runs one statement in the project's database.
   *
   * @returns its rows; null when it failed, as the CLI has said
   */
  async query(dbUrl: string | undefined, sql: string): Promise<Record<string, unknown>[] | null> {
    const { target, env } = this.#databaseTarget(dbUrl);
    const args = ["db", "query", target, sql, "--yes", "--output-format", "json"];
    const { success, stdout } = await this.#command(args, { env, stdout: "piped" }).output();
    return success ? JSON.parse(new TextDecoder().decode(stdout)) : null;
  }

  /**
   * Deploys the functions of a folder that has `supabase/config.toml`. The platform packs them, so no Docker is needed.
   */
  async deployFunctions(folder: string): Promise<void> {
    await this.#run([
      "functions",
      "deploy",
      this.target,
      "--use-api",
      "--yes",
      "--workdir",
      folder,
    ]);
  }

  /** The password goes by the environment, since every user of the machine sees a process's arguments. */
  #databaseTarget(dbUrl: string | undefined): { target: string; env: Record<string, string> } {
    if (dbUrl === undefined) return { target: this.target, env: {} };
    const url = new URL(dbUrl);
    const password = decodeURIComponent(url.password);
    url.password = "";
    return { target: `--remote=${url.href}`, env: password ? { PGPASSWORD: password } : {} };
  }

  async #run(args: string[], env?: Record<string, string>): Promise<void> {
    const { success } = await this.#command(args, { env }).spawn().status;
    if (!success) throw new Error(`supabase ${args[0]} ${args[1]} failed, as it says above`);
  }

  #command(args: string[], options: Deno.CommandOptions): Deno.Command {
    return new Deno.Command(SUPABASE_CLI, {
      args: [...args, "--agent", "no"],
      cwd: ROOT,
      stdin: "null",
      stdout: "inherit",
      stderr: "inherit",
      ...options,
    });
  }
}
