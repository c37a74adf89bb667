import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { HOSTED_DENO, readStackInfo, SUPABASE_CLI } from "../../local/mod.ts";
import { FUNCTION_NAMES } from "../../scripts/edge_functions.ts";
import { NpmRegistry } from "./npm_registry.ts";
import { HostedPlatform } from "./platform.ts";
import { run } from "./run.ts";

const stack = readStackInfo();
/** That of hosted projects where it is installed, else the pinned one. */
const deno = existsSync(HOSTED_DENO) ? HOSTED_DENO : Deno.execPath();

Deno.test("supabase functions deploy, with the sources", async (test) => {
  const registry = new NpmRegistry();
  const denoDir = Deno.makeTempDirSync({ prefix: "deno-dir-" });
  const env = { NPM_CONFIG_REGISTRY: registry.url, DENO_DIR: denoDir };
  const platform = new HostedPlatform(stack, { deno, env });
  try {
    await test.step("sends what the functions import, and nothing else", () => deploySources(platform));
    for (const denoJson of ["--config", "--import-map"] as const) {
      await test.step(`they run on the platform's Deno, with deno.json as ${denoJson}`, async () => {
        await platform.changeRuntime({ deno, denoJson, env });
        await assertWorks(platform);
      });
    }
  } finally {
    await platform.stop();
    await registry.stop();
    Deno.removeSync(denoDir, { recursive: true });
  }
});

async function deploySources(platform: HostedPlatform): Promise<void> {
  const { code, output } = await run(SUPABASE_CLI, [
    ...["functions", "deploy", `--remote=${platform.projectRef}`, "--use-api"],
    ...["--yes", "--agent", "no"],
  ], platform.cliEnv);
  assert.equal(code, 0, output);

  assert.deepEqual([...platform.uploads.keys()].sort(), FUNCTION_NAMES);
  for (const [name, { files, metadata }] of platform.uploads) {
    assert.equal(metadata.entrypoint_path, `supabase/functions/${name}/index.ts`);
    assert.equal(metadata.import_map_path, `supabase/functions/${name}/deno.json`);
    assert.equal(metadata.verify_jwt, false);
    const paths = Object.keys(files);
    assert(paths.includes("supabase/functions/_shared/openapi.json"));
    assert.deepEqual(
      paths.filter((path) => !/^supabase\/functions\/.*\.(ts|json)$/.test(path)),
      [],
    );
    assert.deepEqual(paths.filter((path) => path.includes(".test.")), []);
    const bytes = Object.values(files).reduce((sum, size) => sum + size);
    assert(bytes < 850_000, `${name}: ${bytes} bytes`);
  }
}

/** One request for each package that is imported by a path within it, and one that reaches the database. */
async function assertWorks({ functionsUrl }: HostedPlatform): Promise<void> {
  const status = async (path: string, init?: RequestInit) => {
    const response = await fetch(functionsUrl + path, init);
    return [response.status, (await response.json()).error?.code];
  };
  for (const name of FUNCTION_NAMES) {
    assert.deepEqual(await status(`/${name}/openapi.json`), [200, undefined]);
  }
  assert.deepEqual(
    await status("/recruiting/sms/status", {
      method: "POST",
      headers: { "x-twilio-signature": "forged" },
      body: new URLSearchParams({ MessageStatus: "sent" }),
    }),
    [401, "UNAUTHORIZED"],
  );
  // The key is right. There is no account at Twilio, and no text is due.
  assert.deepEqual(
    await status("/worker/run", {
      method: "POST",
      headers: { authorization: `Bearer ${stack.worker_key}` },
    }),
    [200, undefined],
  );
  const vendor = stack.vendors.find(({ parser }) => parser === "generic")!;
  assert.deepEqual(
    await status("/recruiting/ingest?dry_run=true", {
      method: "POST",
      headers: { authorization: `Bearer ${vendor.api_key}`, "content-type": "application/json" },
      body: JSON.stringify({ first_name: "Ada" }),
    }),
    [200, undefined],
  );
}
