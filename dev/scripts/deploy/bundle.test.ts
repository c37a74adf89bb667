import assert from "node:assert/strict";
import { bundledConfig } from "./bundle.ts";

Deno.test("a function without an import map in config.toml is refused, as it would be sent without its bundle", () => {
  assert.throws(() => bundledConfig("[functions.api]\nverify_jwt = false\n"), /lacks import_map/);
});
