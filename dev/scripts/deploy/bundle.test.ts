import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../local/mod.ts";
import { FUNCTION_NAMES } from "../edge_functions.ts";
import { bundledConfig, bundleFunctions } from "./bundle.ts";

Deno.test("each function becomes one file below 1 MB that imports nothing but Node's own modules", async () => {
  const folder = Deno.makeTempDirSync();
  try {
    const bundles = await bundleFunctions(folder);
    assert.deepEqual(bundles.map(({ name }) => name), FUNCTION_NAMES);
    for (const { name, bytes } of bundles) {
      assert(bytes < 1_000_000, `${name} has ${bytes} bytes`);
      const code = Deno.readTextFileSync(join(folder, "supabase/functions", name, "index.js"));
      const imported = [...code.matchAll(/(?:^|[;}])import[^;"()]*"([^"]+)"/g)].map(([, from]) => from!);
      assert(imported.length > 0);
      assert.deepEqual(imported.filter((from) => !from.startsWith("node:")), []);
    }
    // Another version beside it would mean that Deno has downloaded its own.
    if (existsSync(join(ROOT, "node_modules/@esbuild"))) {
      const versions = Array.from(Deno.readDirSync(join(folder, "deno/dl")), ({ name }) => name);
      assert.equal(versions.length, 1, `the pinned Deno wants another esbuild: ${versions}`);
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("a function without an import map in config.toml is refused, as it would be sent without its bundle", () => {
  assert.throws(() => bundledConfig("[functions.api]\nverify_jwt = false\n"), /lacks import_map/);
});
