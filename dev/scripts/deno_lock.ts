/**
 * `npm run lock`: writes each function's deno.lock, which pins what its deno.json brings along.
 *
 * The older Deno of hosted projects writes them: it can't read version 5 of the format, and the newer one reads version
 * 4. It works in a copy outside the checkout, because beside a package.json Deno takes packages from node_modules and
 * keeps no lock.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { HOSTED_DENO } from "../local/mod.ts";
import { FUNCTION_NAMES, FUNCTIONS_FOLDER } from "./edge_functions.ts";

if (!existsSync(HOSTED_DENO)) {
  console.error("npm run lock needs Linux x64, for which the Deno of hosted projects is packaged.");
  Deno.exit(1);
}
const copy = await Deno.makeTempDir();
try {
  await run("cp", ["-R", FUNCTIONS_FOLDER, copy]);
  for (const name of FUNCTION_NAMES) {
    const folder = join(copy, "functions", name);
    const lock = join(folder, "deno.lock");
    await Deno.remove(lock).catch(() => {});
    await run(HOSTED_DENO, [
      "install",
      "--quiet",
      "--node-modules-dir=none",
      `--config=${join(folder, "deno.json")}`,
      `--lock=${lock}`,
      "--entrypoint",
      join(folder, "index.ts"),
    ]);
    await Deno.copyFile(lock, join(FUNCTIONS_FOLDER, name, "deno.lock"));
    console.log(`Wrote supabase/functions/${name}/deno.lock`);
  }
} finally {
  await Deno.remove(copy, { recursive: true });
}

async function run(command: string, args: string[]): Promise<void> {
  // Unlike the newer Deno, this one doesn't trust the machine's own certificate authorities unless told.
  const env = { DENO_TLS_CA_STORE: "mozilla,system" };
  const { success } = await new Deno.Command(command, { args, env }).spawn().status;
  if (!success) throw new Error(`${command} failed`);
}
