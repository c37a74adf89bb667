import { rmSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** A Chromium that runs on this machine. */
export interface Chromium {
  context: BrowserContext;
  /** Makes a context in which nothing is stored. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** The folder into which pages download. */
  downloads: string;
  /** Minimises the window of a page, or brings it back. */
  setWindow(page: Page, state: "minimized" | "normal"): Promise<void>;
  stop(): Promise<void>;
}

// The machine's own, where the one from npm does not run: it is for Linux on x64 alone.
const INSTALLED = [
  ...["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"],
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

// Tests open pages of their own alone, and as root the sandbox does not work.
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--remote-debugging-port=0",
  "about:blank",
];

// Ends the browser and removes its folder once its input is closed, which happens however this process ends.
const GUARD = `trap '' HUP INT TERM; "$@" & read -r _; kill "$!"; wait "$!"; rm -rf "$FOLDER"`;

/** Starts a Chromium with a new profile; null where there is none. */
export async function startChromium(): Promise<Chromium | null> {
  const folder = Deno.makeTempDirSync({ prefix: "chromium-" });
  const path = await unpackFromNpm(folder) ?? INSTALLED.find(canRun);
  if (path === undefined) {
    rmSync(folder, { recursive: true });
    return null;
  }
  const profile = join(folder, "profile");
  const guard = new Deno.Command("sh", {
    args: ["-c", GUARD, "sh", path, `--user-data-dir=${profile}`, ...FLAGS],
    env: { FOLDER: folder },
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const port = await debuggingPort(profile);
  // Its defaults would make every page believe that it is seen, also when its window is minimised.
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { noDefaults: true });
  const control = await browser.newBrowserCDPSession();
  const downloads = join(folder, "downloads");
  await control.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });

  return {
    context: browser.contexts()[0]!,
    newContext: (options) => browser.newContext(options),
    downloads,
    async setWindow(page, windowState) {
      const session = await page.context().newCDPSession(page);
      const { windowId } = await session.send("Browser.getWindowForTarget");
      await session.send("Browser.setWindowBounds", { windowId, bounds: { windowState } });
    },
    async stop() {
      await browser.close();
      await guard.stdin.close();
      await guard.status;
    },
  };
}

/** Unpacks the Chromium that npm has installed. Returns its path, or undefined where it does not run. */
async function unpackFromNpm(folder: string): Promise<string | undefined> {
  if (Deno.build.os !== "linux" || Deno.build.arch !== "x86_64") return undefined;
  // The package unpacks into TMPDIR, and the shared libraries only when told that they are missing as on AWS Lambda.
  const before = Deno.env.get("TMPDIR");
  Deno.env.set("TMPDIR", folder);
  Deno.env.set("AWS_LAMBDA_JS_RUNTIME", "nodejs20.x");
  const { default: packaged } = await import("@sparticuz/chromium");
  const path = await packaged.executablePath();
  // The folder is gone when the next file of tests starts its browser.
  if (before === undefined) Deno.env.delete("TMPDIR");
  else Deno.env.set("TMPDIR", before);
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

/** The port on which the browser takes commands. It writes it into its profile. */
async function debuggingPort(profile: string): Promise<string> {
  for (let waited = 0; waited < 30_000; waited += 50) {
    try {
      const [port] = Deno.readTextFileSync(join(profile, "DevToolsActivePort")).split("\n");
      if (port) return port;
    } catch {
      // Not written yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("Chromium has not started within 30 s.");
}
