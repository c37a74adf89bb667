import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "../local/mod.ts";
import { releaseChangelog } from "./changelog.ts";

const CHANGELOG = "# Changelog\n\n## Unreleased\n\n- A new route.\n\n## 1.0.0 - 2026-01-02\n\n- The first version.\n";

Deno.test("the entries below Unreleased become a version's, with its date", () => {
  assert.equal(
    releaseChangelog(CHANGELOG, "1.1.0", "2026-03-04"),
    "# Changelog\n\n## Unreleased\n\n## 1.1.0 - 2026-03-04\n\n- A new route.\n\n" +
      "## 1.0.0 - 2026-01-02\n\n- The first version.\n",
  );
});

Deno.test("a release without an entry is refused, and one that was made before", () => {
  const released = releaseChangelog(CHANGELOG, "1.1.0", "2026-03-04");
  assert.throws(() => releaseChangelog(released, "1.2.0", "2026-03-05"), /no entry below "Unreleased"/);
  assert.throws(() => releaseChangelog(CHANGELOG, "1.0.0", "2026-03-05"), /a section for 1\.0\.0 already/);
  assert.throws(() => releaseChangelog("# Changelog\n", "1.0.0", "2026-03-05"), /no section "Unreleased"/);
});

Deno.test("the changelog has a section for the version of package.json, and each version has a date", () => {
  const text = Deno.readTextFileSync(join(ROOT, "CHANGELOG.md"));
  const { version } = JSON.parse(Deno.readTextFileSync(join(ROOT, "package.json")));
  const [first, ...released] = Array.from(text.matchAll(/^## (.+)$/gm), ([, heading]) => heading!);
  assert.equal(first, "Unreleased");
  for (const heading of released) assert.match(heading, /^\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d$/);
  assert.equal(released[0]!.split(" ")[0], version);
});
