/** `npm run deploy`: brings a hosted project up to date with this checkout. */
import { Command, InvalidArgumentError, Option } from "commander";
import { assertSignUpClosed, CLOSE_SIGN_UP } from "../auth_settings.ts";
import { readOptions } from "../../local/mod.ts";
import { type Bundle, bundleFunctions } from "./bundle.ts";
import { describeChanges } from "./changes.ts";
import { awaitHealth } from "./health.ts";
import { Release } from "./release.ts";
import { requireSecrets } from "./secrets.ts";
import { SupabaseCli } from "./supabase_cli.ts";

interface Options {
  projectRef?: string;
  dbUrl?: string;
  url?: string;
  allowMissingSecrets?: true;
  dryRun?: true;
  since?: string;
}

const program = new Command("npm run deploy --")
  .description(
    "Brings a hosted project up to date: checks its secrets and that nobody can sign up, applies the migrations it lacks, sends each function as " +
      "one bundled file and waits until it is healthy. First log in: npx supabase login, or set SUPABASE_ACCESS_TOKEN.",
  )
  .option("--project-ref <ref>", "the project, as in https://<ref>.supabase.co", readRef)
  .addOption(
    new Option(
      "--db-url <url>",
      "its database: the connection string of the session pooler, or the direct one; without it the CLI finds the " +
        "database and takes the password from SUPABASE_DB_PASSWORD",
    ).env("SUPABASE_DB_URL"),
  )
  .option("--url <url>", "where the project is reached (default: https://<ref>.supabase.co)")
  .option("--allow-missing-secrets", "go on where a secret is missing; its routes refuse everybody")
  .option(
    "--dry-run",
    "say what would be done and change nothing; without --project-ref, for a project that runs the last release",
  )
  .option("--since <tag>", "the release to compare with, where it is not the last one; without --project-ref")
  .configureHelp({ helpWidth: 100 });

const options = readOptions<Options>(program);
const { projectRef, url, allowMissingSecrets = false, dryRun = false, since } = options;
if (projectRef === undefined && !dryRun) {
  program.error("error: --project-ref <ref> is missing. Only --dry-run goes without it.");
}
if (projectRef !== undefined && since !== undefined) {
  program.error("error: --since goes without --project-ref: the project itself says what it lacks");
}
const release = since === undefined
  ? Release.last()
  : Release.find(since) ?? program.error(`error: --since: git has no commit ${since}`);
const dbUrl = options.dbUrl?.trim() || undefined;
const problem = dbUrl && projectRef && dbUrlProblem(dbUrl, projectRef);
// The message must not show the password, as one of commander's own would.
if (problem) program.error(`error: --db-url or SUPABASE_DB_URL: ${problem}`);

const folder = Deno.makeTempDirSync({ prefix: "deploy-" });
try {
  await (projectRef === undefined ? compare(release) : deploy(projectRef));
} catch (error) {
  console.error(`\nStopped: ${(error as Error).message}`);
  Deno.exitCode = 1;
} finally {
  Deno.removeSync(folder, { recursive: true });
}

/** Says what a deployment would do, without asking any project. */
async function compare(release: Release): Promise<void> {
  console.log(
    release.tag === null
      ? "No project is given, and there is no release to compare with (no tag of git): everything is new."
      : `No project is given: this is for one that runs the release ${release.tag}.`,
  );
  await bundle();
  console.log(`\n${(await describeChanges(release)).join("\n")}`);
}

async function deploy(projectRef: string): Promise<void> {
  const cli = new SupabaseCli(projectRef);

  console.log("Checking the secrets");
  await unlessDry(() => requireSecrets(cli, allowMissingSecrets));
  console.log("\nChecking that only those get a login who are invited");
  const projectUrl = url?.replace(/\/+$/, "") ?? `https://${projectRef}.supabase.co`;
  await unlessDry(() => requireClosedSignUp(cli, projectUrl));

  const bundles = await bundle();
  console.log(dryRun ? "\nListing the migrations that would be applied" : "\nApplying migrations");
  await unlessDry(() => cli.pushMigrations(dbUrl, dryRun));

  const names = bundles.map(({ name }) => name);
  if (dryRun) {
    console.log(`\nFunctions that would be deployed: ${names.join(", ")}`);
    return;
  }
  await allowAgentTopics(cli);
  console.log("\nDeploying the functions");
  await cli.deployFunctions(folder);

  console.log("\nWaiting until they are healthy");
  const functionsUrl = `${projectUrl}/functions/v1`;
  await awaitHealth(functionsUrl, names);
  console.log(`\nDeployed to ${functionsUrl}`);
}

async function bundle(): Promise<Bundle[]> {
  console.log("\nBundling the functions");
  const bundles = await bundleFunctions(folder);
  for (const { name, bytes } of bundles) {
    console.log(`  ${name.padEnd(12)} ${Math.round(bytes / 1000)} kB`);
  }
  return bundles;
}

async function requireClosedSignUp(cli: SupabaseCli, projectUrl: string): Promise<void> {
  const key = await cli.publicKey();
  try {
    await assertSignUpClosed(projectUrl, key);
  } catch (error) {
    throw new Error(`${(error as Error).message}. ${CLOSE_SIGN_UP}`);
  }
}

/** Realtime makes its table in its own time, perhaps after the migrations. Texts and notifications do not need it. */
async function allowAgentTopics(cli: SupabaseCli): Promise<void> {
  console.log("\nLetting agents hear of their notifications through Realtime");
  const rows = await cli.query(dbUrl, "select private.allow_agent_topics() as is_allowed");
  if (rows?.[0]?.is_allowed === true) return;
  console.log(
    "  Realtime has no table in this project yet, or cannot be asked. When the project has Realtime, deploy again, or run " +
      "in the SQL editor: select private.allow_agent_topics();",
  );
}

/** A dry run goes on after what fails, to tell as much as it can without a login or a network. */
async function unlessDry(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!dryRun) throw error;
    console.log(`  It would stop here: ${(error as Error).message}`);
  }
}

function readRef(value: string): string {
  if (!/^[a-z]{20}$/.test(value)) {
    throw new InvalidArgumentError("A project ref is 20 lower-case letters.");
  }
  return value;
}

function dbUrlProblem(value: string, projectRef: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value)) {
    return "it must be a connection string that begins with postgresql://";
  }
  const { username, hostname, port } = new URL(value);
  // Migrations need one connection for all their statements.
  if (port === "6543") {
    return "port 6543 is the pooler's transaction mode; take the session pooler, which has port 5432";
  }
  // The variable may still be set for another project.
  const [, ref = projectRef] = /^(?:postgres\.|.*@db\.)([a-z]{20})\b/.exec(`${username}@${hostname}`) ?? [];
  if (ref !== projectRef) return `it is the database of the project ${ref}, not of ${projectRef}`;
}
