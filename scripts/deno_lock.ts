import { join } from "node:path";
import { ROOT } from "../local/mod.ts";

/**
 * Writes each function's deno.lock, which pins what its deno.json brings along. In a copy outside the checkout, because
 * beside a package.json Deno resolves packages from node_modules and keeps no lock.
 */
const functions = join(ROOT, "supabase", "functions");
const copy = await Deno.makeTempDir();
try {
  await run("cp", ["-R", functions, copy]);
  for (const name of ["recruiting", "api"]) {
    const folder = join(copy, "functions", name);
    const lock = join(folder, "deno.lock");
    await Deno.remove(lock).catch(() => {});
    await run(Deno.execPath(), [
      "install",
      "--quiet",
      "--node-modules-dir=none",
      `--config=${join(folder, "deno.json")}`,
      `--lock=${lock}`,
      "--entrypoint",
      join(folder, "index.ts"),
    ]);
    await Deno.copyFile(lock, join(functions, name, "deno.lock"));
    console.log(`Wrote supabase/functions/${name}/deno.lock`);
  }
} finally {
  await Deno.remove(copy, { recursive: true });
}

async function run(command: string, args: string[]): Promise<void> {
  const { success } = await new Deno.Command(command, { args }).spawn().status;
  if (!success) throw new Error(`${command} failed`);
}
