import { join } from "node:path";
import { DATABASE_TYPES, generateDatabaseTypes } from "../scripts/database_types.ts";
import { ROOT, SUPABASE_CLI } from "../local/paths.ts";
import { installPgtap, runTapFile } from "./pgtap.ts";
import { connect } from "../local/postgres.ts";
import type { ThrowawayStack } from "./throwaway_stack.ts";

export interface Counts {
  passed: number;
  failed: number;
}

/** One kind of check. */
export interface Step {
  name: string;
  title: string;
  /** A failure may be thrown as well. */
  run(context: StepContext): Promise<Counts>;
}

export interface StepContext {
  /** The stack of this run, started on first use. */
  stack(): Promise<ThrowawayStack>;
  /** Runs a program, shows its output as it comes and returns that too. */
  show(command: string, args: string[], env?: Record<string, string>): Promise<Shown>;
}

export interface Shown {
  success: boolean;
  output: string;
}

const PASSED: Counts = { passed: 1, failed: 0 };
const FAILED: Counts = { passed: 0, failed: 1 };

/** All checks, in the order in which they run. */
export const STEPS: Step[] = [
  {
    name: "fmt",
    title: "Format",
    run: (context) => check(context.show(Deno.execPath(), ["fmt", "--check"])),
  },
  { name: "lint", title: "Lint", run: (context) => check(context.show(Deno.execPath(), ["lint"])) },
  {
    name: "check",
    title: "Types of the code",
    run: (context) => check(context.show(Deno.execPath(), ["check", "--quiet"])),
  },
  {
    name: "types",
    title: "Generated database types are current",
    async run(context) {
      const { db_url } = await context.stack();
      if (Deno.readTextFileSync(DATABASE_TYPES) === await generateDatabaseTypes(db_url)) {
        return PASSED;
      }
      console.log(`${DATABASE_TYPES} differs from the migrations: npm run types`);
      return FAILED;
    },
  },
  {
    name: "unit",
    title: "Unit tests",
    run: (context) => denoTest(context, ["supabase/functions", "admin"]),
  },
  { name: "pgtap", title: "Database tests", run: pgtap },
  {
    name: "e2e",
    title: "Scenarios over HTTP",
    async run(context) {
      const { file, tail } = await context.stack();
      const counts = await denoTest(context, ["e2e"], { STACK_FILE: file });
      if (counts.failed > 0) console.log(`The last lines of the stack:\n${tail()}`);
      return counts;
    },
  },
  {
    name: "local",
    title: "Tests of the local stack",
    run: (context) => denoTest(context, ["local", "testing"]),
  },
  {
    name: "advisors",
    title: "Security and performance advisors",
    async run(context) {
      const { db_url } = await context.stack();
      const remote = `--remote=${db_url}?sslmode=disable`;
      const args = ["db", "advisors", remote, "--fail-on", "warn", "--agent", "no"];
      return await check(context.show(SUPABASE_CLI, args));
    },
  },
];

async function check(shown: Promise<Shown>): Promise<Counts> {
  return (await shown).success ? PASSED : FAILED;
}

async function denoTest(
  context: StepContext,
  folders: string[],
  env: Record<string, string> = {},
): Promise<Counts> {
  const args = ["test", "--allow-all", "--no-check", "--quiet", ...folders];
  const { success, output } = await context.show(Deno.execPath(), args, env);
  const summary = /(\d+) passed.*?(\d+) failed/.exec(output.split("\n").slice(-10).join("\n"));
  const counts = { passed: Number(summary?.[1] ?? 0), failed: Number(summary?.[2] ?? 0) };
  // A module that cannot be loaded, say, is a failure that the summary does not count.
  if (!success && counts.failed === 0) counts.failed = 1;
  return counts;
}

async function pgtap(context: StepContext): Promise<Counts> {
  const { db_url } = await context.stack();
  await installPgtap();
  const admin = connect(db_url);
  await admin.unsafe(`
    create extension if not exists pgtap with schema extensions;
    create extension if not exists dblink with schema extensions`);
  await admin.end();

  const folder = join(ROOT, "supabase/tests");
  const files = Array.from(Deno.readDirSync(folder), ({ name }) => name)
    .filter((name) => name.endsWith(".test.sql")).sort();
  const total = { passed: 0, failed: 0 };
  for (const file of files) {
    const sql = connect(db_url);
    const { passed, failed, diagnostics } = await runTapFile(sql, join(folder, file));
    await sql.end();
    console.log(`${file}: ${passed} passed${failed ? `, ${failed} failed` : ""}`);
    for (const line of diagnostics) console.log(`    ${line}`);
    total.passed += passed;
    total.failed += failed;
  }
  return total;
}
