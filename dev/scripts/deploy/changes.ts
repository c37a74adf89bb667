import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT, runToEnd } from "../../local/mod.ts";
import { FUNCTION_NAMES, FUNCTIONS_FOLDER } from "../edge_functions.ts";
import { migrationFiles, MIGRATIONS } from "../migration/files.ts";
import type { Release } from "./release.ts";

const FUNCTIONS = relative(ROOT, FUNCTIONS_FOLDER);

interface Module {
  specifier: string;
  dependencies?: { code?: { specifier: string } }[];
}

/**
 * What a deployment of this checkout would do to a project that runs the release, a line each.
 *
 * @throws {Error} when the modules of a function cannot be read
 */
export async function describeChanges(release: Release): Promise<string[]> {
  const changed = release.changedFiles();
  return [
    ...describeMigrations(release, changed),
    "",
    ...await describeFunctions(release, changed),
    "",
    ...describeSettings(release),
    "",
    ...describeVariables(release),
    "",
    [...changed].some((path) => path.startsWith("desk/"))
      ? "The desk has changed: build and publish it after the deployment (npm run desk -- build)."
      : "The files of the desk have not changed.",
  ];
}

function describeMigrations(release: Release, changed: Set<string>): string[] {
  const released = release.files(MIGRATIONS).filter((path) => path.endsWith(".sql"));
  const present = migrationFiles().map(({ path }) => path);
  return [
    ...list(
      "Migrations that would be applied",
      present.filter((path) => !released.includes(path)).map((path) => basename(path)),
    ),
    ...released.filter((path) => changed.has(path)).map((path) =>
      `  ${basename(path)} was released, and is ${present.includes(path) ? "different" : "gone"} now: ` +
      "a project that has it keeps it as it was"
    ),
  ];
}

async function describeFunctions(release: Release, changed: Set<string>): Promise<string[]> {
  const released = release.files(FUNCTIONS)
    .map((path) => /^([^/]+)\/index\.ts$/.exec(relative(FUNCTIONS, path))?.[1])
    .filter((name) => name !== undefined);
  const versions = [versionsOf(release.text("package-lock.json")), versionsOf(read("package-lock.json"))] as const;
  const lines = await Promise.all(FUNCTION_NAMES.map(async (name) => {
    if (!released.includes(name)) return `  ${name.padEnd(12)} new`;
    const { files, packages } = await contentOf(name);
    const different = files.filter((path) => changed.has(path)).length;
    const updates = packages.filter((name) => versions[0].get(name) !== versions[1].get(name))
      .map((name) => `${name} ${versions[0].get(name) ?? "(new)"} → ${versions[1].get(name)}`);
    const reasons = [...different > 0 ? [`${different} of ${files.length} files changed`] : [], ...updates];
    return `  ${name.padEnd(12)} ${reasons.join(", ") || "the same code"}`;
  }));
  const gone = released.filter((name) => !FUNCTION_NAMES.includes(name));
  return [
    `Functions that would be deployed: ${FUNCTION_NAMES.length}`,
    ...lines,
    ...gone.map((name) => `  ${name} is gone, and stays deployed: npx supabase functions delete ${name}`),
  ];
}

/** The files of the checkout that a function runs, and the packages that these import. Types alone are not run. */
async function contentOf(name: string): Promise<{ files: string[]; packages: string[] }> {
  const entry = join(FUNCTIONS_FOLDER, name, "index.ts");
  const { code, out, err } = await runToEnd(Deno.execPath(), ["info", "--json", entry]);
  if (code !== 0) throw new Error(`deno info failed\n${err}`);
  const { modules, roots }: { modules: Module[]; roots: string[] } = JSON.parse(out);
  const found = new Set(roots);
  for (const specifier of found) {
    const { dependencies = [] } = modules.find((module) => module.specifier === specifier) ?? {};
    for (const { code } of dependencies) if (code) found.add(code.specifier);
  }
  const imported = [...found].filter((specifier) => specifier.startsWith("file:"))
    .map((specifier) => relative(ROOT, fileURLToPath(specifier)));
  const packages = imported.map((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
    .filter((name) => name !== undefined);
  return {
    files: imported.filter((path) => !path.includes("node_modules/")),
    packages: [...new Set(packages)].sort(),
  };
}

/** The versions of the installed packages, by their names. */
function versionsOf(lockFile: string): Map<string, string> {
  const { packages } = JSON.parse(lockFile || `{"packages": {}}`);
  return new Map(
    Object.entries<{ version?: string }>(packages).map((
      [path, { version = "" }],
    ) => [path.replace(/^node_modules\//, ""), version]),
  );
}

/** Only those of the functions are part of a deployment; the project's own are changed in its dashboard. */
function describeSettings(release: Release): string[] {
  if (release.tag === null) return ["Settings: all that docs/hosting.md names, in the project's dashboard."];
  const [before, now] = [release.text("supabase/config.toml"), read("supabase/config.toml")].map(settingsOf);
  const lines = differences(before!, now!, (was, is) => `${was} → ${is}`).map((line) =>
    /^\S+ +functions\./.test(line) ? line : `${line} (in a hosted project's dashboard: docs/hosting.md)`
  );
  return list("Settings of supabase/config.toml that changed", lines);
}

/** The values of a configuration by their names, such as `auth.enable_signup`. Lists of several lines are left out. */
function settingsOf(config: string): Map<string, string> {
  let section = "";
  const settings = new Map<string, string>();
  for (const line of config.split("\n")) {
    section = /^\[(.+)\]$/.exec(line)?.[1] ?? section;
    const [, name, value] = /^(\w+) = (.+)$/.exec(line) ?? [];
    if (name !== undefined && value !== "[") settings.set(`${section}.${name}`, value!);
  }
  return settings;
}

function describeVariables(release: Release): string[] {
  const [before, now] = [release.text("docs/configuration.md"), read("docs/configuration.md")].map(variablesOf);
  return list("Environment variables of the functions that changed", differences(before!, now!, (_, is) => is));
}

/** What each variable of the functions is, by its name: a test keeps the page complete. The platform sets `SUPABASE_…`. */
function variablesOf(page: string): Map<string, string> {
  const rows = page.matchAll(/^\| `((?!SUPABASE_)[A-Z_]+)` +\| ([^|]+?) +\| (.+?) +\|$/gm);
  return new Map(
    [...rows].filter(([, , readers]) => readers!.includes("functions")).map(([, name, , is]) => [name!, is!]),
  );
}

/** A line for each name that is new, gone or has another value. */
function differences(
  before: Map<string, string>,
  now: Map<string, string>,
  change: (was: string, is: string) => string,
): string[] {
  return [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((name) => {
    const [was, is] = [before.get(name), now.get(name)];
    if (was === is) return [];
    if (was === undefined) return [`new     ${name}: ${is}`];
    if (is === undefined) return [`gone    ${name}`];
    return [`changed ${name}: ${change(was, is)}`];
  });
}

function list(title: string, lines: string[]): string[] {
  return [`${title}: ${lines.length || "none"}`, ...lines.map((line) => `  ${line}`)];
}

function read(path: string): string {
  return Deno.readTextFileSync(join(ROOT, path));
}
