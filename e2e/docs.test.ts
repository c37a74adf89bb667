import assert from "node:assert/strict";
import { sql, stack } from "./client.ts";

/** A command in the docs, marked with `<!-- run -->`, and the JSON that the docs say it prints. */
interface Example {
  command: string;
  output: unknown;
}

const ROOT = new URL("../", import.meta.url);
const RUN = /<!-- run -->\n+```sh\n(.*?)```\n\n```json\n(.*?)```/gs;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function examplesIn(file: string): Example[] {
  const text = Deno.readTextFileSync(new URL(file, ROOT));
  const examples = [...text.matchAll(RUN)].map(([, command, output]) => ({
    command: command!,
    output: JSON.parse(output!),
  }));
  assert.equal(
    examples.length,
    text.split("<!-- run -->").length - 1,
    "a command without its output",
  );
  return examples;
}

/** Equal, but for ids: wherever the docs show one, any will do. */
function assertLike(actual: unknown, expected: unknown): void {
  const ids = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value),
      (_, item) => typeof item === "string" && UUID.test(item) ? "<id>" : item,
    );
  assert.deepEqual(ids(actual), ids(expected));
}

const vendor = stack.vendors.find(({ parser }) => parser === "generic")!;
const env = {
  BASE_URL: stack.functions_url,
  VENDOR_API_KEY: vendor.api_key,
  LEADS_IMPORT_API_KEY: stack.leads_import_api_key,
  SUPABASE_ANON_KEY: stack.anon_key,
};

for (const file of ["README.md", "docs/vendors.md"]) {
  Deno.test(`every command in ${file} does what it says`, async (t) => {
    await sql`delete from public.recruiting_leads where vendor_lead_id like 'readme-%'`;
    await sql`delete from public.leads where external_id = '11111111-1111-4111-8111-111111111111'`;
    const examples = examplesIn(file);
    assert(examples.length > 0);
    for (const { command, output } of examples) {
      await t.step(command.split("\n", 1)[0]!, async () => {
        const { stdout, stderr } = await new Deno.Command("sh", { args: ["-c", command], env })
          .output();
        const text = new TextDecoder().decode(stdout);
        assert(text !== "", new TextDecoder().decode(stderr));
        assertLike(JSON.parse(text), output);
      });
    }
  });
}
