import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { connect, ROOT, SUPABASE_CLI } from "../local/mod.ts";
import { generateModules } from "../scripts/generated.ts";
import { migrationFiles, seedFile } from "../scripts/migration/files.ts";
import { applyFiles } from "../scripts/migration/scratch.ts";
import { withChromium } from "./chromium.ts";
import { withHostedDatabase } from "./hosted/hosted_database.ts";
import { type Counts, denoTest, type Failure } from "./junit.ts";
import { installPgtap, runTapFile, type TapResult } from "./pgtap.ts";
import { type Print, runProgram } from "./program.ts";
import { MOST_RETRIED, retryFailed } from "./retry.ts";
import { doublesEnv } from "./texting_stack.ts";
import type { ThrowawayStack } from "./throwaway_stack.ts";

/** One kind of check. */
export interface Step {
  name: string;
  title: string;
  /** The remedy when it fails, with the command to use. */
  remedy: string;
  /** The stack that no other step may use at the same time. */
  alone?: keyof Stacks;
  /** The number of places that it takes when it begins; one by default. */
  places?: number;
  /** The files of tests that it runs; missing where it runs no files. */
  files?: string[];
  /**
   * Runs the check and prints what a person needs to see.
   *
   * @param print takes the output; by default it is shown as it comes
   * @param files those of {@link files} to run, or folders of them
   * @param leave gives one of its {@link places} to another step, except for the last one
   * @throws {Error} as another way to fail
   */
  run(stacks: Stacks, print?: Print, files?: string[], leave?: () => void): Promise<Counts>;
}

/** The stacks of this run, each started on first use. */
export interface Stacks {
  /** Nothing is configured. */
  plain(): Promise<ThrowawayStack>;
  /** It serves the desk, and its functions send texts to a double of Twilio, which tests start. */
  desk(): Promise<ThrowawayStack>;
  /** Another one of that kind, of which parts are stopped. */
  texting(): Promise<ThrowawayStack>;
}

/** Scenarios that leave thousands of rows. They run last, because some others read whole tables. */
const FILL_TABLES = /\/routes\/(bodies|idempotency|import_leads|lead_notifications)\.test\.ts$/;

/**
 * All checks, in the order in which they begin, as far as they have their stack alone: in general those that take long or
 * wait much first, and last those that use both cores, since several run at the same time.
 */
export const STEPS: Step[] = [
  inChromium(denoStep({
    name: "desk",
    title: "The desk in Chromium; skipped where none is installed",
    files: filesBelow("e2e/desk"),
    alone: "desk",
    places: 3,
    atOnce: [
      // The first three see, count and change what belongs to all agencies. The others make the groups take equally long.
      /\/(operator|mapping|look_up|home|recruit|sales|settings)/,
      // They cut Realtime off from the database for all pages, or count what a page reads or shows after an event.
      // Only ownership is there to make the groups take equally long.
      /\/(live|inbox_list|notifications|optimistic|outbox|ownership|presentation)/,
    ],
    isRetried: true,
  })),
  {
    name: "fmt",
    title: "Format",
    remedy: "npm run fmt formats the files.",
    run: (_, print) => succeeds(Deno.execPath(), ["fmt", "--check"], print),
  },
  {
    name: "lint",
    title: "Lint",
    remedy: "npm run lint -- --fix mends some of it; the rest is listed above.",
    run: (_, print) => succeeds(Deno.execPath(), ["lint"], print),
  },
  denoStep({
    name: "texting",
    title: "Texts against a double of Twilio",
    files: ["dev/testing/graph", "dev/testing/twilio", "e2e/texting"].flatMap((folder) => filesBelow(folder)),
    alone: "texting",
    isRetried: true,
  }),
  denoStep({
    name: "schema",
    title: "Schemas and migrations make one database",
    remedy:
      "npm run migration -- --baseline writes the baseline again; once it is deployed, <topic> what the migrations lack.",
    files: filesBelow("supabase/tests"),
    // Its tests read whole tables, so they come before the scenarios that fill these.
    alone: "plain",
  }),
  denoStep({
    name: "e2e",
    title: "Scenarios over HTTP",
    files: ["e2e/routes", "e2e/admin", "e2e/docs"].flatMap((folder) => filesBelow(folder))
      .sort((one, other) => Number(FILL_TABLES.test(one)) - Number(FILL_TABLES.test(other))),
    alone: "plain",
    isRetried: true,
  }),
  denoStep({
    name: "unit",
    title: "Unit tests",
    files: [
      ...["admin", "desk", "dev/bench", "dev/scripts", "dev/testing/receiver", "docs", "supabase/functions"].flatMap((
        path,
      ) => filesBelow(path)),
      ...filesBelow("dev/testing").filter((path) => dirname(path) === "dev/testing"),
    ],
    // It makes the client of the database for a double of it, and the client is made once.
    atOnce: [/\/_shared\/database\./],
  }),
  denoStep({
    name: "faults",
    title: "Scenarios over HTTP while a part of the stack is stopped or a row is locked",
    files: filesBelow("e2e/faults"),
    alone: "texting",
  }),
  denoStep({
    name: "local",
    title: "Tests of the local stack, and an account of every request during its faults",
    // The last ones kill parts of the stack that all share.
    files: ["dev/local", "dev/chaos"].flatMap((folder) => filesBelow(folder)),
  }),
  inChromium(denoStep({
    name: "demo",
    title: "The demonstration, and the tour through it",
    files: filesBelow("dev/demo"),
  })),
  denoStep({
    name: "hosted",
    title: "What a hosted project does otherwise",
    files: filesBelow("dev/testing/hosted"),
    // Some of its scenarios take rights away for a moment.
    alone: "desk",
  }),
  {
    name: "pgtap",
    title: "Database tests",
    remedy: runAlone("pgtap"),
    files: filesBelow("supabase/tests", ".test.sql"),
    run: pgtap,
  },
  {
    name: "check",
    title: "Types of the code",
    remedy: "Correct the code; npm run check shows what is left.",
    run: (_, print) => succeeds("npm", ["run", "--silent", "check"], print),
  },
  {
    name: "imports",
    title: "Imports between folders go one way",
    remedy: "npm run imports lists what .dependency-cruiser.mjs does not allow.",
    run: (_, print) => succeeds("npm", ["run", "--silent", "imports"], print),
  },
  {
    name: "types",
    title: "What is generated from the database is current",
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
    name: "advisors",
    title: "Security and performance advisors",
    remedy: "Correct what Supabase's advisors list above; npm test -- advisors asks them again.",
    async run(stacks, print) {
      const { db_url } = await stacks.plain();
      const remote = `--remote=${db_url}?sslmode=disable`;
      const args = ["db", "advisors", remote, "--fail-on", "warn", "--agent", "no"];
      return succeeds(SUPABASE_CLI, args, print);
    },
  },
];

async function succeeds(command: string, args: string[], print?: Print): Promise<Counts> {
  const success = await runProgram(command, args, {}, print);
  return success ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * A step that runs files with `deno test`, against a stack where it names one. The files that match the
 * same pattern of `atOnce` run one after another, beside the others. A step that `isRetried` runs each test that failed
 * once more after all others, unless only some files were asked for.
 */
function denoStep(
  { alone, atOnce = [], isRetried = false, ...step }:
    & Omit<Step, "run" | "remedy">
    & {
      files: string[];
      remedy?: string;
      atOnce?: RegExp[];
      isRetried?: boolean;
    },
): Step {
  return {
    remedy: runAlone(step.name),
    ...step,
    ...(alone && { alone }),
    async run(stacks, print, chosen, leave) {
      // The output of tests is of use to a person who runs a few of them.
      const flags = chosen === undefined ? ["--quiet"] : [];
      const files = (chosen ?? step.files).flatMap((path) => filesBelow(path));
      const running = alone && await stacks[alone]();
      const env = running && { STACK_FILE: running.file, ...doublesEnv(alone!), ...transcriptsOf(files) };
      const groups = Map.groupBy(new Set(files.map(runnerOf)), (file) => atOnce.find((like) => like.test(file)));
      // Lines of two processes would be mixed.
      const show = groups.size > 1 ? print ?? console.log : print;
      let counts = sumOf(
        await Promise.all(groups.values().map((group) => denoTest(group, env, show, flags).finally(leave))),
      );
      if (isRetried && chosen === undefined) {
        const retry = (filter: string) => denoTest(files, env, print, [...flags, `--filter=${filter}`]);
        counts = await retryFailed(counts, retry);
      }
      if (running && counts.failed > 0) (print ?? console.log)(`The last lines of the stack:\n${running.tail()}`);
      return counts;
    },
  };
}

function inChromium(step: Step): Step {
  return { ...step, run: (...given) => withChromium(() => step.run(...given)) };
}

function sumOf(all: Counts[]): Counts {
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    skipped: all.reduce((sum, { skipped = 0 }) => sum + skipped, 0),
    failures: all.flatMap(({ failures = [] }) => failures),
    flaky: all.flatMap(({ flaky = [] }) => flaky),
  };
}

/** A transcript is run by a test of its folder. */
function runnerOf(file: string): string {
  return file.endsWith(".transcript") ? join(dirname(file), "transcripts.test.ts") : file;
}

/** The variable that chooses the transcripts to run, where some are named. */
function transcriptsOf(files: string[]): Record<string, string> {
  const named = files.filter((file) => file.endsWith(".transcript"));
  return named.length > 0 ? { TRANSCRIPTS: named.join() } : {};
}

function runAlone(name: string): string {
  return `npm test -- ${name} <file> runs one of its files alone.`;
}

/** The files of tests in a folder, or the file at this path. */
function filesBelow(path: string, ...endings: string[]): string[] {
  if (statSync(join(ROOT, path)).isFile()) return [path];
  if (endings.length === 0) endings = [".test.ts", ".test.tsx"];
  const names = readdirSync(join(ROOT, path), { recursive: true, encoding: "utf8" });
  return names.filter((name) => endings.some((ending) => name.endsWith(ending))).sort().map((name) => join(path, name));
}

/** Files whose connections mostly wait for one another. */
const WAIT = /(races|_locks|_limits)\.test\.sql$/;

/** Runs pgTAP as the owner of a hosted project's database, who is not a superuser: what waits in a database of its own. */
async function pgtap(
  stacks: Stacks,
  print: Print = console.log,
  paths = ["supabase/tests"],
): Promise<Counts> {
  const files = paths.flatMap((path) => filesBelow(path, ".test.sql"));
  const { db_url } = await stacks.plain();
  await installPgtap();
  const groups = Array.from(Map.groupBy(files, (file) => WAIT.test(file)).values());
  return await withHostedDatabase(db_url, async ({ url, admin, copy }) => {
    await admin.unsafe(`
      create extension pgtap with schema extensions;
      create extension dblink with schema extensions`);
    await applyFiles(url, [...migrationFiles(), seedFile()]);
    const urls = groups.length > 1 ? [url, await copy()] : [url];
    return sumOf(await Promise.all(groups.map((group, i) => runTapFiles(urls[i]!, group, print))));
  });
}

async function runTapFiles(url: string, files: string[], print: Print): Promise<Counts> {
  const total = { passed: 0, failed: 0, failures: [] as Failure[], flaky: [] as Failure[] };
  let sql = connect(url);
  const runFile = async (file: string) => {
    // One that waits for another forever ends with its name.
    await sql`set statement_timeout = '5min'`;
    const result = await runTapFile(sql, join(ROOT, file));
    if (WAIT.test(file) && result.failed === 0) {
      // The next one goes on with the connections of races, which have compiled the functions.
      await sql`
        select extensions.dblink_disconnect(name) from unnest(extensions.dblink_get_connections()) name
        where name !~ '^(commits|worker[0-9]+)$'`;
    } else {
      await sql.end();
      sql = connect(url);
    }
    const lines = result.diagnostics.map((line) => `    ${line}`);
    print([`${file}: ${result.passed} passed${result.failed ? `, ${result.failed} failed` : ""}`, ...lines].join("\n"));
    return result;
  };
  const failed: [string, TapResult][] = [];
  for (const file of files) {
    const result = await runFile(file);
    if (result.failed > 0) failed.push([file, result]);
    else total.passed += result.passed;
  }
  // Once more, unless it was run alone or many failed. What passes then is flaky.
  for (const [file, first] of failed) {
    const again = files.length > 1 && failed.length <= MOST_RETRIED ? await runFile(file) : first;
    total.passed += again.passed;
    total.failed += again.failed;
    const text = [file, ...first.diagnostics.map((line) => `    ${line}`)].join("\n");
    (again.failed > 0 ? total.failures : total.flaky).push({ text });
  }
  await sql.end();
  return total;
}
