import { fileURLToPath } from "node:url";
import { type Benchmark, type Measurement } from "./measurement.ts";

const MB = 1e6;

/** What a new isolate has to load: one bundle of a function and all it imports, also what it imports only when needed. */
export const codeSize: Benchmark = {
  name: "code-size",
  title: "Each function bundled by `deno bundle --minify` (esbuild)",
  async run() {
    const measurements: Measurement[] = [];
    for (const slug of ["recruiting", "api", "texting"]) {
      const size = await bundle(slug, ["--minify"]);
      const unminified = await bundle(slug, []);
      measurements.push({
        what: `${slug}: bundled code`,
        rounds: [size / MB],
        unit: "MB",
        budget: { atMost: 1 },
        detail: `${(unminified / MB).toFixed(2)} MB with comments and white space`,
      });
    }
    return measurements;
  },
};

/** Bytes of a function's bundle. */
async function bundle(slug: string, flags: string[]): Promise<number> {
  const index = fileURLToPath(
    new URL(`../../supabase/functions/${slug}/index.ts`, import.meta.url),
  );
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform", "deno", ...flags, index],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("deno bundle failed; the first time it fetches esbuild from npm");
  return stdout.byteLength;
}
