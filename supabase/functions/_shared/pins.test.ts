import assert from "node:assert/strict";

const ROOT = new URL("../../../", import.meta.url);

function readJson(path: string): Record<string, Record<string, string>> {
  return JSON.parse(Deno.readTextFileSync(new URL(path, ROOT)));
}

const { dependencies } = readJson("package.json");

for (const name of ["recruiting", "api", "texting"]) {
  const { imports = {} } = readJson(`supabase/functions/${name}/deno.json`);
  const lock = readJson(`supabase/functions/${name}/deno.lock`);

  Deno.test(`the ${name} function is deployed with the versions that are tested here`, () => {
    for (const [specifier, target] of Object.entries(imports)) {
      const [, pinned, version] = /^npm:\/?(.+)@([^@/]+)\/?$/.exec(target) ?? [];
      assert.equal(pinned, specifier.replace(/\/$/, ""));
      assert.equal(version, dependencies?.[pinned!], specifier);
      assert.equal(
        version,
        lock.specifiers?.[`npm:${pinned}@${version}`],
        `${pinned} in deno.lock`,
      );
    }
  });

  Deno.test(`the runtimes of hosted projects can read the ${name} function's deno.lock`, () => {
    assert.equal(lock.version, "4");
  });
}
