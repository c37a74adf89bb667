import { ROOT, SUPABASE_CLI } from "../../local/mod.ts";

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
   * Applies the migrations that the project's database lacks, or only lists them. Never the seed.
   *
   * @param dbUrl its connection string; unless given, the CLI finds it by the project
   */
  async pushMigrations(dbUrl: string | undefined, dryRun: boolean): Promise<void> {
    const { target, env } = dbUrl === undefined
      ? { target: this.target, env: {} }
      : databaseTarget(dbUrl);
    await this.#run(["db", "push", target, dryRun ? "--dry-run" : "--yes"], env);
  }

  /** Deploys the functions of a folder that has `supabase/config.toml`. The platform packs them, so no Docker is needed. */
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

/** The password goes by the environment, since every user of the machine sees a process's arguments. */
function databaseTarget(dbUrl: string): { target: string; env: Record<string, string> } {
  const url = new URL(dbUrl);
  const password = decodeURIComponent(url.password);
  url.password = "";
  return { target: `--remote=${url.href}`, env: password ? { PGPASSWORD: password } : {} };
}
