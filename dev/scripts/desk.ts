/**
 * `npm run desk -- build`: makes the desk a folder for any static host. `npm run desk -- dev` serves it on the running
 * stack, and again with each change.
 */
import { Command } from "commander";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build, createServer, type InlineConfig, type Plugin, type Rolldown } from "vite";
import { readStackInfo, ROOT } from "../local/mod.ts";

type Modules = Pick<Rolldown.PluginContext, "getModuleInfo">;

const OUT = "dist/desk";

/** The desk, and the window in which an agent presents. */
const PAGES = ["index.html", "presentation.html"];

/** The content of `config.json`; desk/data/config.ts reads it. */
interface Config {
  url: string;
  publishable_key: string;
  presentation_url?: string;
}

const program = new Command("npm run desk --").exitOverride(({ exitCode }) => Deno.exit(exitCode && 2));

/** Whether a module is loaded with a page: its script imports it, itself or by others. */
function isFirst(id: string, modules: Modules, seen = new Set<string>()): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  const { isEntry = false, importers = [] } = modules.getModuleInfo(id) ?? {};
  return isEntry || importers.some((importer) => isFirst(importer, modules, seen));
}

program.command("build")
  .description("Writes the page into a folder.")
  .option("--out <folder>", "where to", OUT)
  .option("--url <address>", "the Supabase project, such as https://abc.supabase.co")
  .option("--key <key>", "its publishable key (sb_publishable_…)")
  .option("--presentation-url <address>", "the agency's own presentation")
  .action(async ({ out, url, key, presentationUrl }) => {
    if ((url === undefined) !== (key === undefined)) program.error("give --url and --key, or neither");
    if (key !== undefined && isSecret(key)) program.error("--key: a secret key; everybody can read what is in a page");
    const folder = out.startsWith("/") ? out : join(ROOT, out);
    await build({
      ...configOf(url === undefined ? undefined : new URL(url).origin),
      build: {
        outDir: folder,
        emptyOutDir: true,
        rolldownOptions: {
          // What chunks share is one file: many small ones compress badly, and each is a request. What only later ones
          // share is another one, for which no agent waits.
          output: {
            codeSplitting: {
              groups: [{ name: (id, modules) => isFirst(id, modules) ? "shared" : "shared_later", minShareCount: 2 }],
            },
          },
          input: PAGES.map((page) => join(ROOT, "desk", page)),
          // Libraries mark what a server would leave to the browser. Here all is the browser's.
          checks: { moduleLevelDirective: false, pluginTimings: false },
        },
        // Both would be inline in the page, which the policy refuses.
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
      },
    });
    await buildWorker(folder);
    if (url === undefined) return console.log("It needs a config.json beside it: docs/hosting.md");
    const config: Config = { url: new URL(url).origin, publishable_key: key, presentation_url: presentationUrl };
    Deno.writeTextFileSync(join(out, "config.json"), `${JSON.stringify(config, null, 2)}\n`);
  });

program.command("dev")
  .description("Serves the page on the stack that runs, and again with each change.")
  .action(async () => {
    const { api_url, publishable_key } = await readStackInfo();
    const config: Config = { url: api_url, publishable_key };
    const server = await createServer({
      ...configOf(),
      plugins: [{
        name: "config",
        configureServer({ middlewares }) {
          middlewares.use("/config.json", (_, response) => response.end(JSON.stringify(config)));
        },
      }],
      server: { host: "127.0.0.1", fs: { allow: [ROOT] } },
    });
    await server.listen();
    console.log(`The desk: ${server.resolvedUrls!.local[0]}`);
  });

await program.parseAsync(Deno.args, { from: "user" });

/** Whether a key passes every policy: a secret key, or the older service-role key. */
function isSecret(key: string): boolean {
  const [, payload = ""] = key.split(".");
  return key.startsWith("sb_secret_") || Buffer.from(payload, "base64url").includes("service_role");
}

/** Adds the service worker to a build. It knows the hash of each file, so that it never mixes two builds. */
async function buildWorker(folder: string): Promise<void> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
    .map((file) => relative(folder, join(file.parentPath, file.name))).sort();
  const hashOf = (name: string) => createHash("sha256").update(readFileSync(join(folder, name))).digest("base64");
  const hashes = Object.fromEntries(
    files.map((name) => [name === "index.html" ? "" : name, `sha256-${hashOf(name)}`]),
  );
  const define = {
    FILES: JSON.stringify(hashes),
    BUILD: JSON.stringify(createHash("sha256").update(JSON.stringify(hashes)).digest("hex").slice(0, 16)),
  };
  await build({
    root: join(ROOT, "desk"),
    configFile: false,
    publicDir: false,
    logLevel: "warn",
    define,
    build: {
      outDir: folder,
      emptyOutDir: false,
      rolldownOptions: {
        input: join(ROOT, "desk/service_worker.ts"),
        output: { format: "iife", entryFileNames: "service_worker.js" },
      },
    },
  });
}

/** The settings of both. `project` is the only origin that the page calls; unless given, any. */
function configOf(project = "https: wss:"): InlineConfig {
  return { root: join(ROOT, "desk"), base: "./", configFile: false, logLevel: "warn", plugins: [policy(project)] };
}

/** Writes the Content-Security-Policy into the page, so that it holds on every host. */
function policy(project: string): Plugin {
  const directives = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    `connect-src 'self' ${project} ${project.replace("http", "ws")}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  return {
    name: "policy",
    apply: "build",
    transformIndexHtml: (html) =>
      html.replace(
        `<meta charset="utf-8">`,
        `$&\n    <meta http-equiv="Content-Security-Policy" content="${directives}">`,
      ),
  };
}
