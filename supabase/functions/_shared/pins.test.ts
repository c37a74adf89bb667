import assert from "node:assert/strict";

const ROOT = new URL("../../../", import.meta.url);

function readJson(path: string): Record<string, Record<string, string>> {
  return JSON.parse(Deno.readTextFileSync(new URL(path, ROOT)));
}

const { dependencies } = readJson("package.json");

for (const name of ["recruiting", "api"]) {
  Deno.test(`the ${name} function is deployed with the versions that are tested here`, () => {
    const { imports } = readJson(`supabase/functions/${name}/deno.json`);
    const { specifiers } = readJson(`supabase/functions/${name}/deno.lock`);
    for (const [specifier, target] of Object.entries(imports ?? {})) {
      const [, pinned, version] = /^npm:(.+)@([^@/]+)$/.exec(target) ?? [];
      assert.equal(pinned, specifier);
      assert.equal(version, dependencies?.[specifier], specifier);
      assert.equal(version, specifiers?.[target], `${specifier} in deno.lock`);
    }
  });
}
