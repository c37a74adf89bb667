import { extname, join } from "node:path";
import type { Page } from "playwright-core";
import { build } from "vite";
import { ROOT } from "../../dev/local/mod.ts";
import { deskTest, hasChromium } from "./harness.ts";

const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

let folder = "";
let server: Deno.HttpServer<Deno.NetAddr> | undefined;

Deno.test.beforeAll(async () => {
  if (!hasChromium) return;
  folder = Deno.makeTempDirSync({ prefix: "examples-" });
  await build({
    root: join(ROOT, "desk/ui/examples"),
    base: "./",
    configFile: false,
    logLevel: "error",
    build: {
      outDir: folder,
      rolldownOptions: { checks: { moduleLevelDirective: false, pluginTimings: false } },
    },
  });
  server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    const file = join(folder, pathname === "/" ? "index.html" : pathname);
    const content = await Deno.readFile(file).catch(() => null);
    if (content === null) return new Response(null, { status: 404 });
    return new Response(content, { headers: { "content-type": TYPES[extname(file)] ?? "text/plain" } });
  });
});

Deno.test.afterAll(async () => {
  await server?.shutdown();
  if (folder !== "") Deno.removeSync(folder, { recursive: true });
});

/** Shows an example of desk/ui/examples, anew. */
export async function showExample(page: Page, example: string): Promise<void> {
  // What differs before the # is loaded as another page.
  await page.goto(`http://127.0.0.1:${server!.addr.port}/?${example}#${example}`);
  // A fault that a boundary has caught is written there, too.
  await page.locator("#desk > *").first().waitFor();
}

/** A test that begins with one example, on a page that is built for the tests of a file. */
export function exampleTest(example: string, name: string, run: (page: Page) => Promise<void>): void {
  deskTest(`${example}: ${name}`, async (page) => {
    await showExample(page, example);
    await run(page);
  });
}
