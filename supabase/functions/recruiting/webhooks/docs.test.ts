/** The settings that docs/connecting.md gives for each vendor are those by which the vendor signs. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { JsonObject } from "../../_shared/json.ts";
import { PARSER_NAMES } from "../parsers/index.ts";
import { type Case, isProved, NOW } from "./fixtures/verify.ts";
import { SCHEMES } from "./proof.ts";

function readPage(name: string): string {
  return Deno.readTextFileSync(new URL(`../../../../docs/${name}`, import.meta.url));
}

const CONNECTING = readPage("connecting.md");
const VENDORS = readPage("vendors.md");

/** The options of `webhook set <slug> --scheme hmac …` on the page, by slug. */
const OPTIONS = new Map(
  CONNECTING.replaceAll("\\\n", " ").matchAll(/webhook set (\S+) --scheme hmac(.*)/g)
    .map(([, slug, options]) => [slug!, options!]),
);

/** The options for a vendor, as `vendors.webhook_config` has them. */
function configOf(slug: string): JsonObject {
  const pairs = OPTIONS.get(slug)?.matchAll(/--([a-z-]+) (?:"([^"]*)"|(\S+))/g) ?? [];
  return Object.fromEntries(
    Array.from(pairs, ([, name, quoted, bare]) => [name!.replaceAll("-", "_"), quoted ?? bare!]),
  );
}

const BODY = '{"first_name": "José"}';
const ISO = new Date(NOW * 1000).toISOString();

function sign(text: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", "secret").update(text).digest(encoding);
}

/** The headers of a delivery of {@link BODY}, signed as the vendor does. docs/vendors.md names the sources. */
const HEADERS: Record<string, Record<string, string>> = {
  jazzhr: { "X-JazzHR-Signature": sign(BODY, "hex") },
  talroo: { "x-talroo-signature": `t=${NOW},v1=${sign(`${NOW}.${BODY}`, "hex")}` },
  tiktok: { "TikTok-Signature": `t=${NOW},s=${sign(`${NOW}.${BODY}`, "hex")}` },
  typeform: { "Typeform-Signature": `sha256=${sign(BODY, "base64")}` },
  workable: { "X-Workable-Signature": sign(BODY, "hex") },
  ziprecruiter: {
    "X-ZipRecruiter-Signature": sign(`${ISO}.${BODY}`, "base64"),
    "X-ZipRecruiter-Signature-Timestamp": ISO,
  },
};

for (const [slug, headers] of Object.entries(HEADERS)) {
  Deno.test(`a delivery of ${slug} is proved with the settings in docs/connecting.md`, () => {
    const delivery: Case = { scheme: "hmac", config: configOf(slug), headers, body: BODY };
    assert(isProved(delivery));
    assert.equal(isProved({ ...delivery, secrets: ["other"] }), false);
  });
}

Deno.test("docs/connecting.md has no settings of hmac that are not tried here", () => {
  assert.deepEqual([...OPTIONS.keys()].sort(), Object.keys(HEADERS));
});

Deno.test("docs/connecting.md describes every scheme", () => {
  const [, table] = CONNECTING.split("\n## Schemes\n");
  for (const scheme of SCHEMES.keys()) {
    assert.match(table!, new RegExp(`^\\|[^|]*\`${scheme}\`[^|]*\\|`, "m"));
  }
});

Deno.test("docs/vendors.md says of every parser how its vendor connects, and by what that is confirmed", () => {
  const [, section] = VENDORS.split("\n## How each vendor connects\n");
  const rows = section!.split("\n## ")[0]!.split("\n").filter((line) => line.startsWith("| "));
  const confirmations = rows.slice(2).map((row) => row.split("|").at(-2)!);
  for (const parser of PARSER_NAMES) assert.match(rows.join("\n"), new RegExp(`\`${parser}\``));
  for (const confirmed of confirmations) assert.match(confirmed, /https:\/\/|not confirmed/);
});
