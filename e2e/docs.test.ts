import assert from "node:assert/strict";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { stackInfoFile } from "../local/mod.ts";
import { sql } from "./client.ts";

/** A command in the docs, marked with `<!-- run -->`, and the JSON that the docs show as its output, if any. */
interface Example {
  language: "sh" | "sql";
  command: string;
  output?: unknown;
}

const ROOT = new URL("../", import.meta.url);
const RUN = /<!-- run -->\n+```(sh|sql)\n(.*?)```(?:\n\n```json\n(.*?)```)?/gs;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function examplesIn(file: string): Example[] {
  const text = Deno.readTextFileSync(new URL(file, ROOT));
  const examples = [...text.matchAll(RUN)].map(([, language, command, output]) => ({
    language: language as "sh" | "sql",
    command: command!,
    ...(output !== undefined && { output: JSON.parse(output) }),
  }));
  assert.equal(
    examples.length,
    text.split("<!-- run -->").length - 1,
    "a mark without a command below it",
  );
  return examples;
}

/** Asserts that two values are equal, where one id counts as equal to any other. */
function assertLike(actual: unknown, expected: unknown): void {
  const ids = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value),
      (_, item) => typeof item === "string" && UUID.test(item) ? "<id>" : item,
    );
  assert.deepEqual(ids(actual), ids(expected));
}

/** The JSON that docs/parsers.md shows below a mark; its commands name it as a file. */
function shownJson(mark: string): string {
  const text = Deno.readTextFileSync(new URL("docs/parsers.md", ROOT));
  return new RegExp(`<!-- ${mark} -->\\n+\`\`\`json\\n(.*?)\`\`\``, "s").exec(text)![1]!;
}

/** Takes away what the commands make, so that they can be run again. */
async function removeWhatCommandsMake(): Promise<void> {
  await sql`delete from public.recruiting_leads where vendor_lead_id like 'readme-%'`;
  await sql`delete from public.leads where external_id = '11111111-1111-4111-8111-111111111111'`;
  const agencies = sql`select id from public.agencies where name = 'Prairie Life'`;
  await sql`delete from public.recruiting_orders where agency_id in (${agencies})`;
  await sql`delete from public.agents where agency_id in (${agencies})`;
  await sql`delete from public.agencies where name = 'Prairie Life'`;
  await sql`delete from public.vendors where slug in ('acme', 'fair')`;
}

/** Runs a command as it is pasted into a terminal, and returns what it prints. */
async function paste(
  command: string,
  folder: string,
  variables: Record<string, string>,
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-e", "-c", command],
    cwd: folder,
    env: {
      ...variables,
      DATA_DIR: dirname(stackInfoFile()),
      STACK_FILE: stackInfoFile(),
      SUPABASE_DB_URL: "",
    },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(code, 0, `${out}${err}`);
  return out!;
}

/** Runs statements that do what the commands above them did. */
async function runSql(statements: string): Promise<void> {
  await removeWhatCommandsMake();
  await sql.unsafe(statements).simple();
}

/** The variables that the README's first command sets for all that follow. */
async function variables(folder: string): Promise<Record<string, string>> {
  const [setup] = examplesIn("README.md");
  assert.match(setup!.command, /^eval /);
  const { stdout } = await new Deno.Command("sh", { args: ["-c", "env"] }).output();
  const before = new TextDecoder().decode(stdout).split("\n");
  const after = (await paste(`${setup!.command}\nenv`, folder, {})).split("\n");
  const added = after.filter((line) => !before.includes(line) && line.includes("="));
  return Object.fromEntries(
    added.map((line) => [line.split("=", 1)[0]!, line.replace(/^.*?=/, "")]),
  );
}

for (const page of ["README.md", "docs/vendors.md", "docs/parsers.md"]) {
  Deno.test(`every command in ${page} does what it says`, async (t) => {
    // Inside the checkout, because npm looks for package.json upwards.
    const folder = await Deno.makeTempDir({ dir: fileURLToPath(ROOT), prefix: ".local-docs-" });
    await Deno.writeTextFile(`${folder}/fair.json`, shownJson("mapping: config"));
    await Deno.writeTextFile(`${folder}/payload.json`, shownJson("mapping: payload"));
    await removeWhatCommandsMake();
    try {
      const env = await variables(folder);
      const examples = examplesIn(page);
      assert(examples.length > 0);
      for (const { language, command, output } of examples) {
        await t.step(command.split("\n", 1)[0]!, async () => {
          if (language === "sql") return await runSql(command);
          const printed = await paste(command, folder, env);
          if (output !== undefined) assertLike(JSON.parse(printed), output);
        });
      }
    } finally {
      await removeWhatCommandsMake();
      await Deno.remove(folder, { recursive: true });
    }
  });
}
