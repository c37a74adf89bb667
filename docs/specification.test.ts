/** docs/specification.md is the customer's text. Its tables of fields, against the descriptions that the routes' own schemas give. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";

const ROOT = new URL("../", import.meta.url);
const PAGE = Deno.readTextFileSync(new URL("docs/specification.md", ROOT));
const OPENAPI = Deno.readTextFileSync(new URL("supabase/functions/_shared/openapi.json", ROOT));
const SCHEMAS = JSON.parse(OPENAPI).components.schemas;

/** The rows of the table that has a field, as cells. */
function tableWith(field: string): string[][] {
  const table = PAGE.split(/\n\n+/).find((block) =>
    /^\| Field \| Type \| Required/.test(block) && block.includes(`\n| ${field} |`)
  );
  return table!.split("\n").slice(2).map((row) => row.split("|").slice(1, -1).map((cell) => cell.trim()));
}

for (
  const [id, field] of [["LeadImport", "leads"], ["SalesLead", "external_id"], ["PresentationActivity", "lead_id"]]
) {
  Deno.test(`${id} requires the fields that docs/specification.md requires, with their values`, () => {
    const { properties, required } = SCHEMAS[id!];
    const rows = tableWith(field!);
    // A field that was added since is optional.
    assert.deepEqual(rows.map(([name]) => name!).filter((name) => !(name in properties)), []);
    assert.deepEqual(
      rows.filter(([, , yes]) => yes!.startsWith("yes")).map(([name]) => name).sort(),
      required.toSorted(),
    );
    for (const [name, , note] of rows) {
      const [, values] = /one of (.+)$/.exec(note!) ?? [];
      if (values) assert.deepEqual(properties[name!].enum.toSorted(), values.split(", ").sort(), name);
    }
  });
}

Deno.test("the generic parser reads what docs/specification.md says that a recruit may have", () => {
  const fromTheLead = tableWith("vendor_lead_id").filter(([, , required]) => /^(?:yes|optional)/.test(required!));
  const names = fromTheLead.map(([name]) => name!).filter((name) => name !== "vendor_metadata");
  assert.deepEqual(names, ["first_name", "vendor_lead_id", "resume"]);
  assert.deepEqual(names.filter((name) => !(name in SCHEMAS.GenericLead.properties)), []);
});

Deno.test("docs/specification.md is the customer's text to the letter, but for the notes of the project", () => {
  const text = PAGE.replace(/^(?:> .*\n)+\n?/gm, "");
  assert.equal(
    createHash("sha256").update(text).digest("hex"),
    "0a6f01b0ccdeb69db159a8e60e4e03398dbf40007d01cfebbce0de1609343ddd",
  );
});

Deno.test("beside each feature that the specification calls not implemented a note says what is there", () => {
  const sections = PAGE.split(/^#{2,3} /m).filter((section) => section.includes("not implemented"));
  assert.equal(sections.length, 3);
  for (const section of sections) assert.match(section, /^> \*\*Note of the project/m);
});
