import { join } from "node:path";
import { connect, ROOT, SUPABASE_CLI } from "../local/mod.ts";
import { generateModules } from "../scripts/generated.ts";
import { browserStep } from "./browser/step.ts";
import { denoTest } from "./junit.ts";
import { installPgtap, runTapFile } from "./pgtap.ts";
import { type Print, runProgram } from "./program.ts";
import { DOUBLE_ENV } from "./texting_stack.ts";
import type { ThrowawayStack } from "./throwaway_stack.ts";

/** The results of a step. A skipped test is not counted as passed. */
export interface Counts {
  passed: number;
  failed: number;
  skipped?: number;
}

/** One kind of check. */
export interface Step {
  name: string;
  title: string;
  /** What to do when it fails, with the command to use. */
  remedy: string;
  /**
   * The names of later steps to run at the same time, because this one leaves a processor free. The steps of each list
   * run one after another.
   */
  beside?: string[][];
  /**
   * Runs the check and prints what a person needs to see.
   *
   * @param print takes the output; only for a step that runs beside another
   * @throws {Error} as another way to fail
   */
  run(stacks: Stacks, print?: Print): Promise<Counts>;
}

/** The stacks of this run, each started on first use. */
export interface Stacks {
  /** Nothing is configured. */
  plain(): Promise<ThrowawayStack>;
  /** Its functions send texts to a double of Twilio, which the tests start. */
  texting(): Promise<ThrowawayStack>;
}

/** All checks, in the order in which they run. */
export const STEPS: Step[] = [
  {
    name: "fmt",
    title: "Format",
    remedy: "npm run fmt formats the files.",
    run: () => succeeds(Deno.execPath(), ["fmt", "--check"]),
  },
  {
    name: "lint",
    title: "Lint",
    remedy: "npm run lint -- --fix mends some of it; the rest is listed above.",
    run: () => succeeds(Deno.execPath(), ["lint"]),
  },
  {
    name: "check",
    title: "Types of the code",
    remedy: "Correct the code; npm run check shows what is left.",
    // The stack starts meanwhile.
    beside: [["types"]],
    run: () => succeeds(Deno.execPath(), ["check", "--quiet"]),
  },
  {
    name: "types",
    title: "Generated database types and versions are current",
    remedy: "npm run types writes them again.",
    async run(stacks, print = console.log) {
      const { db_url } = await stacks.plain();
      const stale = Object.entries(await generateModules(db_url))
        .filter(([file, text]) => Deno.readTextFileSync(join(ROOT, file)) !== text)
        .map(([file]) => file);
      for (const file of stale) print(`${file} differs from the migrations.`);
      return { passed: stale.length === 0 ? 1 : 0, failed: stale.length };
    },
  },
  {
    name: "schema",
    title: "Schemas and migrations make one database",
    remedy:
      "npm run migration -- <topic> writes what the migrations lack; npm test -- schema runs this alone.",
    beside: [["unit"], ["pgtap"]],
    run: async (stacks) =>
      denoTest(["supabase/tests"], { STACK_FILE: (await stacks.plain()).file }),
  },
  {
    name: "unit",
    title: "Unit tests",
    remedy: "npm test -- unit runs them alone.",
    // By a pattern, because Deno finds no test in a folder that has a member of the workspace in it.
    run: (_, print) =>
      denoTest(
        ["supabase/functions", "admin", "dev/bench", "dev/scripts", "docs/*.test.ts"],
        {},
        print,
      ),
  },
  {
    name: "pgtap",
    title: "Database tests",
    remedy: "npm test -- pgtap runs them alone.",
    run: pgtap,
  },
  {
    name: "e2e",
    title: "Scenarios over HTTP",
    remedy: "npm test -- e2e runs them alone.",
    beside: [["local", "chaos"], ["texting", "faults", "hosted"]],
    run: async (stacks) => testOn(await stacks.plain(), e2eTests(false)),
  },
  {
    name: "local",
    title: "Tests of the local stack",
    remedy: "npm test -- local runs them alone.",
    run: (_, print) => denoTest(["dev/local", "dev/testing/*.test.ts"], {}, print),
  },
  {
    name: "chaos",
    title: "One fault after another, and an account of every request",
    remedy: "npm test -- chaos runs it alone; npm run chaos shows more.",
    run: (_, print) => denoTest(["dev/chaos"], {}, print),
  },
  {
    name: "texting",
    title: "Texts against a double of Twilio",
    remedy: "npm test -- texting runs it alone.",
    run: async (stacks, print) =>
      testOn(await stacks.texting(), ["dev/testing/twilio", "dev/testing/texting"], print),
  },
  {
    name: "faults",
    title: "Scenarios over HTTP while a part of the stack is stopped",
    remedy: "npm test -- faults runs them alone.",
    // On the other stack, because they would hold up every other scenario.
    run: async (stacks, print) => testOn(await stacks.texting(), e2eTests(true), print),
  },
  {
    name: "hosted",
    title: "What a hosted project does otherwise",
    remedy: "npm test -- hosted runs it alone.",
    // On the other stack, because some of its scenarios take rights away for a moment.
    run: async (stacks, print) => testOn(await stacks.texting(), ["dev/testing/hosted"], print),
  },
  browserStep,
  {
    name: "advisors",
    title: "Security and performance advisors",
    remedy: "Correct what Supabase's advisors list above; npm test -- advisors asks them again.",
    async run(stacks) {
      const { db_url } = await stacks.plain();
      const remote = `--remote=${db_url}?sslmode=disable`;
      const args = ["db", "advisors", remote, "--fail-on", "warn", "--agent", "no"];
      return succeeds(SUPABASE_CLI, args);
    },
  },
];

async function succeeds(command: string, args: string[]): Promise<Counts> {
  const success = await runProgram(command, args);
  return success ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Runs tests against a stack, and shows its last lines where one fails. */
async function testOn(
  { file, tail }: ThrowawayStack,
  tests: string[],
  print?: Print,
): Promise<Counts> {
  const counts = await denoTest(tests, { STACK_FILE: file, ...DOUBLE_ENV }, print);
  if (counts.failed > 0) (print ?? console.log)(`The last lines of the stack:\n${tail()}`);
  return counts;
}

/** The scenarios in which a part of the stack is stopped or a row locked, or all others. */
function e2eTests(ofFaults: boolean): string[] {
  return Array.from(Deno.readDirSync(join(ROOT, "e2e")), ({ name }) => `e2e/${name}`)
    .filter((path) => path.endsWith(".test.ts") && path.includes("faults") === ofFaults)
    .sort();
}

async function pgtap(stacks: Stacks, print: Print = console.log): Promise<Counts> {
  const { db_url } = await stacks.plain();
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
  const lines: string[] = [];
  for (const file of files) {
    const sql = connect(db_url);
    const { passed, failed, diagnostics } = await runTapFile(sql, join(folder, file));
    await sql.end();
    lines.push(`${file}: ${passed} passed${failed ? `, ${failed} failed` : ""}`);
    lines.push(...diagnostics.map((line) => `    ${line}`));
    total.passed += passed;
    total.failed += failed;
  }
  print(lines.join("\n"));
  return total;
}
