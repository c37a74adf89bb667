import assert from "node:assert/strict";
import { join } from "node:path";
import { Checkout } from "../../testing/checkout.ts";

/** What a deployment reads, and what it runs. */
const COPIED = [
  ...["deno.json", "package.json", "package-lock.json", "docs/configuration.md", "desk/deno.json", "desk/index.html"],
  ...["dev/local", "dev/scripts", "supabase/config.toml", "supabase/functions", "supabase/migrations"],
];

Deno.test("without a project, a dry run says what a deployment would do after the last release", async (test) => {
  const checkout = new Checkout(...COPIED);
  const lockFile = Deno.readTextFileSync(join(checkout.root, "package-lock.json"));
  const hono: string = JSON.parse(lockFile).packages["node_modules/hono"].version;
  try {
    await test.step("without a release all is new", () => {
      const lines = evaluate(checkout, "(await describeChanges(Release.last())).join('\\n')").split("\n");
      assert(lines.includes("  20261121000000_baseline.sql"));
      assert(lines.includes("  recruiting   new"));
      assert(lines.includes("  new     TWILIO_AUTH_TOKEN: signs Twilio's webhooks; several"));
    });

    git(checkout, "init", "--quiet");
    edit(
      checkout,
      "package-lock.json",
      (text) => text.replace(`hono": {\n      "version": "${hono}"`, `hono": {\n      "version": "4.0.0"`),
    );
    write(checkout, "supabase/migrations/20990101000000_mistaken.sql", "select 1;");
    write(checkout, "supabase/functions/former/index.ts", "export default {};");
    commit(checkout, "v7.0.0");

    await test.step("what has changed since is named, after the functions are bundled without a download", () => {
      write(checkout, "package-lock.json", lockFile);
      write(checkout, "supabase/migrations/20990101000000_mistaken.sql", "select 2;");
      write(checkout, "supabase/migrations/20990102000000_later.sql", "select 1;");
      Deno.removeSync(join(checkout.root, "supabase/functions/former"), { recursive: true });
      edit(checkout, "supabase/functions/worker/run.ts", (text) => `${text}// changed\n`);
      // Of these nothing is run.
      edit(checkout, "supabase/functions/_shared/database.types.ts", (text) => `${text}// changed\n`);
      edit(checkout, "supabase/functions/_shared/json.test.ts", (text) => `${text}// changed\n`);
      edit(checkout, "supabase/config.toml", (text) => text.replace("enable_signup = false", "enable_signup = true"));
      edit(
        checkout,
        "docs/configuration.md",
        (text) =>
          text.replace(/^\| `METRICS_KEY`.+\n/m, "").replace("import requests per minute", "import requests per hour")
            .replace(/^\| `DESK_URL`.+\n/m, "$&| `GREETING`  | functions | how recruits are greeted |\n"),
      );
      edit(checkout, "desk/index.html", (text) => `${text}\n`);
      const lines = run(checkout, 0, "--dry-run").trimEnd().split("\n");
      assert.match(lines[0]!, /runs the release v7\.0\.0\.$/);
      assert(lines.some((line) => /^ {2}recruiting +\d+ kB$/.test(line)), lines.join("\n"));
      const plan = lines.slice(lines.findIndex((line) => line.startsWith("Migrations")));
      assert.deepEqual(plan.map((line) => line.replace(/ of \d+ files/, " of <n> files")), [
        "Migrations that would be applied: 1",
        "  20990102000000_later.sql",
        "  20990101000000_mistaken.sql was released, and is different now: a project that has it keeps it as it was",
        "",
        "Functions that would be deployed: 4",
        `  api          hono 4.0.0 → ${hono}`,
        `  desk         hono 4.0.0 → ${hono}`,
        `  recruiting   hono 4.0.0 → ${hono}`,
        `  worker       1 of <n> files changed, hono 4.0.0 → ${hono}`,
        "  former is gone, and stays deployed: npx supabase functions delete former",
        "",
        "Settings of supabase/config.toml that changed: 1",
        "  changed auth.enable_signup: false → true (in a hosted project's dashboard: docs/hosting.md)",
        "",
        "Environment variables of the functions that changed: 3",
        "  new     GREETING: how recruits are greeted",
        "  changed LEADS_IMPORT_RATE_LIMIT: import requests per hour; default: no limit",
        "  gone    METRICS_KEY",
        "",
        "The desk has changed: build and publish it after the deployment (npm run desk -- build).",
      ]);
    });

    await test.step("a tag of the checkout itself is what would be deployed; only a dry run goes without a project", () => {
      commit(checkout, "v8.0.0");
      assert.equal(evaluate(checkout, "Release.last().tag"), "v7.0.0\n");
      assert.match(run(checkout, 2, "--dry-run", "--since", "v9.0.0"), /git has no commit v9\.0\.0/);
      assert.match(run(checkout, 2), /--project-ref <ref> is missing/);
    });
  } finally {
    checkout.remove();
  }
});

/** Runs `npm run deploy` in the copy, without npm, which would install the packages of the changed lock file. */
function run(checkout: Checkout, code: number, ...args: string[]): string {
  return deno(checkout, code, "run", "--quiet", "--allow-all", "dev/scripts/deploy/main.ts", ...args);
}

/** What the modules of the copy say. */
function evaluate(checkout: Checkout, expression: string): string {
  const modules = ["changes", "release"].map((name) =>
    `await import("${checkout.root}/dev/scripts/deploy/${name}.ts")`
  );
  const code = `const { describeChanges } = ${modules[0]}, { Release } = ${modules[1]}; console.log(${expression});`;
  return deno(checkout, 0, "eval", "--quiet", code);
}

function deno({ root }: Checkout, code: number, ...args: string[]): string {
  const { code: ended, stdout, stderr } = new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    env: {
      NO_COLOR: "1",
      // It is set where commands are used, and no project is asked.
      SUPABASE_DB_URL: `postgresql://postgres.${"b".repeat(20)}@pooler.invalid:5432/postgres`,
      // Another esbuild than the packaged one would come from there.
      NPM_CONFIG_REGISTRY: "http://127.0.0.1:1/",
    },
  }).outputSync();
  const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  assert.equal(ended, code, output);
  return output;
}

function write({ root }: Checkout, path: string, text: string): void {
  Deno.mkdirSync(join(root, path, ".."), { recursive: true });
  Deno.writeTextFileSync(join(root, path), text);
}

function edit(checkout: Checkout, path: string, change: (text: string) => string): void {
  const text = Deno.readTextFileSync(join(checkout.root, path));
  const changed = change(text);
  assert.notEqual(changed, text, path);
  write(checkout, path, changed);
}

function git({ root }: Checkout, ...args: string[]): void {
  const { success, stderr } = new Deno.Command("git", { args, cwd: root }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
}

/** Commits all files and gives the commit a tag. */
function commit(checkout: Checkout, tag: string): void {
  git(checkout, "add", "--all");
  git(checkout, "-c", "user.name=A test", "-c", "user.email=test@example.com", "commit", "--quiet", "-m", tag);
  git(checkout, "tag", tag);
}
