/**
 * `npm version <minor|major|patch>` calls this: the changelog's section "Unreleased" becomes the section of the new
 * version, with its date. A release without a line there is refused.
 */
import { join } from "node:path";
import { ROOT } from "../local/mod.ts";

const UNRELEASED = "## Unreleased\n";

/** The changelog with a section for this version. Throws when there is nothing to release, or the version is in it. */
export function releaseChangelog(text: string, version: string, date: string): string {
  if (text.includes(`\n## ${version} - `)) throw new Error(`CHANGELOG.md has a section for ${version} already`);
  const [before, after] = text.split(UNRELEASED);
  if (after === undefined) throw new Error(`CHANGELOG.md has no section "Unreleased"`);
  const entries = after.split("\n## ", 1)[0]!;
  if (entries.trim() === "") throw new Error(`CHANGELOG.md has no entry below "Unreleased": nothing is to be released`);
  return `${before}${UNRELEASED}\n## ${version} - ${date}\n${after}`;
}

if (import.meta.main) {
  const path = join(ROOT, "CHANGELOG.md");
  const { version } = JSON.parse(Deno.readTextFileSync(join(ROOT, "package.json")));
  const date = new Date().toISOString().slice(0, 10);
  Deno.writeTextFileSync(path, releaseChangelog(Deno.readTextFileSync(path), version, date));
  console.log(`CHANGELOG.md: ${version}, ${date}`);
}
