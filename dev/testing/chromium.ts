import { join } from "node:path";
import { runToEnd } from "../local/mod.ts";

// The machine's own, where the one from npm does not run: it is for Linux on x64 alone.
const INSTALLED = [
  ...["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"],
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

// In a process of its own: the package unpacks into TMPDIR, and the shared libraries only as on AWS Lambda.
const UNPACK = `
  import chromium from "@sparticuz/chromium";
  const path = await chromium.executablePath();
  const { FONTCONFIG_PATH, LD_LIBRARY_PATH } = process.env;
  console.log(JSON.stringify({ path, variables: { FONTCONFIG_PATH, LD_LIBRARY_PATH } }));`;

let unpacked: Promise<string | undefined> | undefined;

/**
 * Runs something with the path of a Chromium in the variable CHROMIUM, which it lacks where none runs on this machine.
 * To unpack it takes seconds, so all that need one share it, as do the processes that they start.
 */
export async function withChromium<Result>(run: () => Promise<Result>): Promise<Result> {
  const path = await (unpacked ??= unpack());
  if (path !== undefined) Deno.env.set("CHROMIUM", path);
  return await run();
}

async function unpack(): Promise<string | undefined> {
  const folder = Deno.makeTempDirSync({ prefix: "chromium-" });
  addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  return await unpackFromNpm(folder) ?? INSTALLED.find(canRun);
}

/** Unpacks the Chromium that npm has installed. Returns its path, or undefined where it does not run. */
async function unpackFromNpm(folder: string): Promise<string | undefined> {
  if (Deno.build.os !== "linux" || Deno.build.arch !== "x86_64") return undefined;
  const env = { TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: "nodejs20.x" };
  const { code, out, err } = await runToEnd(Deno.execPath(), ["eval", "--quiet", UNPACK], env);
  if (code !== 0) throw new Error(`Chromium could not be unpacked.\n${err}`);
  const { path, variables }: { path: string; variables: Record<string, string> } = JSON.parse(out);
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  // Its own fonts.conf looks for them in /tmp, and without a font the browser crashes.
  const fonts = join(folder, "fonts");
  const config = `<fontconfig><dir>${fonts}</dir><cachedir>${fonts}</cachedir></fontconfig>`;
  Deno.writeTextFileSync(join(fonts, "fonts.conf"), config);
  return canRun(path) ? path : undefined;
}

function canRun(path: string): boolean {
  try {
    return new Deno.Command(path, { args: ["--version"], stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}
