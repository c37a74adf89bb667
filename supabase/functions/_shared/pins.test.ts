import assert from "node:assert/strict";

const ROOT = new URL("../../../", import.meta.url);

function readJson(path: string): Record<string, Record<string, string>> {
  return JSON.parse(Deno.readTextFileSync(new URL(path, ROOT)));
}

const { dependencies } = readJson("package.json");

for (const name of ["recruiting", "api", "worker", "desk"]) {
  const { imports = {} } = readJson(`supabase/functions/${name}/deno.json`);
  const lock = readJson(`supabase/functions/${name}/deno.lock`);

  Deno.test(`the ${name} function is deployed with the tested versions`, () => {
    for (const [specifier, target] of Object.entries(imports)) {
      const [, pinned, version] = /^npm:\/?(.+)@([^@/]+)\/?$/.exec(target) ?? [];
      const where = `supabase/functions/${name}/deno.json has ${specifier} from ${target}`;
      assert.equal(pinned, specifier.replace(/\/$/, ""), `${where}: another package`);
      const tested = dependencies?.[pinned!];
      assert.equal(
        version,
        tested,
        `${where}, and package.json has ${tested}: write one version in both`,
      );
      const locked = lock.specifiers?.[`npm:${pinned}@${version}`];
      assert.equal(
        version,
        locked,
        `${where}, and deno.lock has ${locked}: npm run lock writes it`,
      );
    }
  });

  Deno.test(`the runtimes of hosted projects can read the ${name} function's deno.lock`, () => {
    assert.equal(lock.version, "4", "npm run lock writes deno.lock");
  });
}
