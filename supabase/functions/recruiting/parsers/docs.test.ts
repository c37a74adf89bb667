import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { plainKey } from "./fields.ts";
import { parse } from "./fixtures/parsed.ts";
import { leadNames, readLead, readSent } from "./fixtures/read.ts";
import { PARSER_NAMES } from "./index.ts";
import { mapping, splitLeads } from "./mapping.ts";
import { compileConfig } from "./mapping_config.ts";
import { NOT_A_NEW_APPLICATION } from "./parser.ts";

const DOCS = Deno.readTextFileSync(new URL("../../../../docs/parsers.md", import.meta.url));

const EXAMPLES = new URL("../../../../docs/examples/mappings/", import.meta.url);

/** Reads a file of docs/examples/mappings, which docs/parsers.md must name. */
function shown(file: string) {
  assert(DOCS.includes(`(examples/mappings/${file})`), `docs/parsers.md does not name ${file}`);
  return JSON.parse(Deno.readTextFileSync(new URL(file, EXAMPLES)));
}

Deno.test("docs/parsers.md describes every parser", () => {
  for (const name of PARSER_NAMES) {
    assert(
      new RegExp(`^## ${name}$`, "m").test(DOCS),
      `docs/parsers.md has no section "## ${name}"`,
    );
  }
});

/** The keys of the scalars in a value, normalized by {@link plainKey}. */
function keysIn(value: Json, key = ""): Set<string> {
  if (typeof value !== "object" || value === null) return new Set([plainKey(key)]);
  const children = Object.entries(value).map(([name, child]) => keysIn(child, Array.isArray(value) ? key : name));
  return children.reduce((all, keys) => all.union(keys), new Set());
}

/** The keys inside the answers of most vendors. */
const IN_ANSWERS = new Set(["question", "answer", "value", "values", "questiontext", "questionidentifier"]);
const CONTACT = new Set(["firstname", "lastname", "fullname", "email", "phone", "phoneraw", "address", "city"])
  .union(new Set(["state", "stateraw", "zip", "country", "resumeurl", "resumeskipped"]));

for (const name of leadNames().filter((name) => !/^(?:generic|mapping)/.test(name))) {
  const parser = PARSER_NAMES.find((parser) => name === parser || name.startsWith(`${parser}_`))!;
  Deno.test(`docs/parsers.md names each field that ${parser} reads of fixtures/${name}.json, and what it becomes`, () => {
    const section = DOCS.split(/^## /m).find((section) => section.startsWith(`${parser}\n`))!;
    const code = Array.from(section.matchAll(/`([^`]+)`/g), ([, code]) => code!).join(" ");
    const named = new Set(Array.from(code.matchAll(/[\w-]+/g), ([word]) => plainKey(word)));
    const { vendor_fields, ...metadata } = readLead(name)!.vendor_metadata as JsonObject;
    // Some vendors send the answers by question.
    const questions = new Set(
      (metadata.answers as { question: string }[] ?? []).map(({ question }) => plainKey(question)),
    );
    const others = keysIn(vendor_fields ?? {}).union(IN_ANSWERS).union(questions);
    const read = keysIn(readSent(name)).difference(others);
    const made = new Set(Object.keys(metadata).map(plainKey)).difference(CONTACT);
    assert.deepEqual([...read.union(made).difference(named)], []);
  });
}

Deno.test("docs/parsers.md names each field that `generic` makes, in what every parser does or in its own section", () => {
  const [, common, own] = /^## What every parser does\n(.*?)^## .*?^## generic\n(.*?)^## /ms.exec(DOCS)!;
  const made = leadNames().filter((name) => name.startsWith("generic"))
    .flatMap((name) => Object.keys(readLead(name)!.vendor_metadata as JsonObject));
  const unnamed = new Set(made).difference(
    new Set(Array.from(`${common}${own}`.matchAll(/[`{ ](\w+)[`,}]/g), ([, word]) => word!)),
  );
  assert.deepEqual([...unnamed], []);
});

Deno.test("supabase/seed.sql has a vendor for every parser except `mapping`, which needs a configuration", () => {
  const seed = Deno.readTextFileSync(new URL("../../../seed.sql", import.meta.url));
  const lacking = PARSER_NAMES.filter((name) => name !== "mapping" && !new RegExp(`', '${name}'\\)`).test(seed));
  assert.deepEqual(lacking, []);
});

Deno.test("the mapping in docs/parsers.md produces the described lead", () => {
  const config = shown("fair.config.json");
  assert.equal(compileConfig(config).error, null);
  const { resume, ...lead } = parse(mapping, shown("fair.payload.json"), config);
  assert.equal(resume?.type, "pdf");
  assert.deepEqual(JSON.parse(JSON.stringify(lead)), shown("fair.lead.json"));
});

Deno.test('the mappings "json_text" and "join" in docs/parsers.md produce the shown leads', () => {
  for (const example of ["json_text", "join"]) {
    const lead = parse(mapping, shown(`${example}.payload.json`), shown(`${example}.config.json`));
    assert.deepEqual(JSON.parse(JSON.stringify(lead)), shown(`${example}.lead.json`));
  }
});

Deno.test("the mapping of several leads in docs/parsers.md produces the shown leads", () => {
  const config = shown("several.config.json");
  const split = splitLeads(shown("several.payload.json"), config);
  const leads = split?.leads.map((lead) => split.parse(lead).data);
  assert.deepEqual(JSON.parse(JSON.stringify(leads)), shown("several.leads.json"));
  assert.equal(mapping(shown("several.ping.json"), config).error, NOT_A_NEW_APPLICATION);
});

Deno.test("the mapping for Resume-Library in docs/parsers.md produces a lead from the publicly documented names", () => {
  const lead = parse(mapping, {
    first_name: "Grace",
    last_name: "Okoye",
    home_town: "Chicago",
    email: "grace@example.com",
    phone: "312-555-0187",
    zip_code: "60601",
    resume_content_base64: btoa("%PDF-1.4\n%%EOF\n"),
    resume_filename: "grace.pdf",
  }, shown("resume_library.config.json"));
  const { first_name, resume, vendor_metadata } = lead;
  assert.deepEqual([first_name, resume?.type], ["Grace", "pdf"]);
  assert.deepEqual({ ...vendor_metadata }, {
    last_name: "Okoye",
    email: "grace@example.com",
    phone: "+13125550187",
    phone_raw: "312-555-0187",
    city: "Chicago",
    zip: "60601",
    vendor_fields: { resume_filename: "grace.pdf" },
  });
});

Deno.test("every file of docs/examples/mappings is named in docs/parsers.md", () => {
  for (const { name } of Deno.readDirSync(EXAMPLES)) shown(name);
});
