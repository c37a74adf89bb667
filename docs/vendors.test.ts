/** The tables of docs/vendors.md, against the code that they describe. */
import assert from "node:assert/strict";
import { STATUS_OF_CODE } from "../supabase/functions/_shared/errors.ts";
import { PARSER_NAMES, PARSERS } from "../supabase/functions/recruiting/parsers/index.ts";

const ROOT = new URL("../", import.meta.url);
const OPENAPI = JSON.parse(Deno.readTextFileSync(new URL("supabase/functions/_shared/openapi.json", ROOT)));
const { GenericLead, SalesLead } = OPENAPI.components.schemas;
const PAGE = Deno.readTextFileSync(new URL("vendors.md", import.meta.url));

Deno.test("docs/vendors.md has every error code that a vendor may get, with its status", () => {
  const rows = PAGE.matchAll(/^\| ([\d, ]+) \| (`[A-Z_`, ]+`) /gm);
  const listed = Array.from(rows, ([, statuses, codes]) => {
    const all = codes!.match(/\w+/g)!;
    return statuses!.match(/\d+/g)!.map((status, n) => [all[n], Number(status)] as const);
  }).flat();
  const { FORBIDDEN: _, ...ofVendors } = STATUS_OF_CODE;
  assert.deepEqual(Object.fromEntries(listed), ofVendors);
});

/** The items of the list below a line, each as one line. */
function listBelow(line: string): string[] {
  const [, list] = PAGE.split(line);
  return /\n\n(- [^]*?)\n\n(?!- )/.exec(list!)![1]!.replace(/\n +/g, " ").split(/\n- |^- /).filter(Boolean);
}

/** The texts in backticks. */
function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, name]) => name!);
}

const FLAT_FORMAT = listBelow("The flat format (parser `generic`)").map((item) => {
  const [, fields = "", spellings = ""] = /^\*\*([^*]+)\*\*(?: \(([^)]+)\))?/.exec(item)!;
  return { fields: namesIn(fields), spellings: namesIn(spellings) };
});

Deno.test("docs/vendors.md lists the fields of the flat format, and no other, in spellings that are read", () => {
  const listed = FLAT_FORMAT.flatMap(({ fields }) => fields);
  const described = Object.keys(GenericLead.properties).filter((name) => name !== "resume_url");
  assert.deepEqual(listed.toSorted(), described.toSorted());
  for (const name of FLAT_FORMAT.flatMap(({ fields, spellings }) => [...fields, ...spellings])) {
    const value = /date|_at$/.test(name) ? "2026-01-02T03:04:05Z" : /test|consent$/.test(name) ? true : "Lee Park";
    const { vendor_metadata, ...lead } = PARSERS.get("generic")!({ [name]: value }, {}).data!;
    const { vendor_fields: _, ...read } = { ...vendor_metadata, ...JSON.parse(JSON.stringify(lead)) };
    assert.notDeepEqual(read, {}, name);
  }
});

Deno.test("docs/vendors.md names the vendor of every parser", () => {
  const [, names] = /If you are ([^]+?), send what you always send/.exec(PAGE)!;
  const listed = names!.split(/, | or |,\n|\n/).map((name) => name.toLowerCase().replaceAll(" ", "_"));
  const own = PARSER_NAMES.filter((name) => !["generic", "mapping"].includes(name));
  assert.deepEqual(listed.toSorted(), own.toSorted());
});

Deno.test("docs/vendors.md lists the fields and types of a sales lead", () => {
  const [required, optional] = listBelow("One request takes up to 10,000 leads").map(namesIn);
  const types: string[] = SalesLead.properties.type.enum;
  assert.deepEqual(required!.toSorted(), [...SalesLead.required, ...types].toSorted());
  const others = Object.keys(SalesLead.properties).filter((name) => !SalesLead.required.includes(name));
  assert.deepEqual(optional!.toSorted(), others.toSorted());
});
