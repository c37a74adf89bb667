import { join } from "node:path";
import { setImmediate } from "node:timers";
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type ConnectOverCDPTransport,
  type Page,
} from "playwright-core";

/** A Chromium that runs on this machine. */
export interface Chromium {
  context: BrowserContext;
  /** Makes a context in which nothing is stored. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Minimises the window of a page, or brings it back. */
  setWindow(page: Page, state: "minimized" | "normal"): Promise<void>;
  stop(): Promise<void>;
}

// Tests open pages of their own alone, and as root the sandbox does not work.
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  // A page of a test is gone before faster code would pay.
  "--js-flags=--no-maglev,--no-turbofan",
  "--disable-sync",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--remote-debugging-port=0",
  "about:blank",
];

// Ends the browser and removes its folder once its input is closed, which happens however this process ends.
const GUARD = `trap '' HUP INT TERM; "$@" & read -r _; kill "$!"; wait "$!"; rm -rf "$FOLDER"`;

/** Starts the Chromium at a path, with a new profile. */
export async function startChromium(path: string): Promise<Chromium> {
  const folder = Deno.makeTempDirSync({ prefix: "chromium-" });
  const profile = join(folder, "profile");
  const guard = new Deno.Command("sh", {
    args: ["-c", GUARD, "sh", path, `--user-data-dir=${profile}`, ...FLAGS],
    env: { FOLDER: folder },
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const transport = await connect(await debuggingUrl(profile));
  // Its defaults would make every page believe that it is seen, also when its window is minimised.
  const browser = await chromium.connectOverCDP(transport, { noDefaults: true });
  const control = await browser.newBrowserCDPSession();
  const downloads = join(folder, "downloads");
  await control.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: downloads });

  return {
    context: browser.contexts()[0]!,
    newContext: (options) => browser.newContext(options),
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

/** The URL at which the browser takes commands. It writes its port and path into its profile. */
async function debuggingUrl(profile: string): Promise<string> {
  for (let waited = 0; waited < 30_000; waited += 50) {
    try {
      const [port, path] = Deno.readTextFileSync(join(profile, "DevToolsActivePort")).split("\n");
      if (path) return `ws://127.0.0.1:${port}${path}`;
    } catch {
      // Not written yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("Chromium has not started within 30 s.");
}

/** Connects over the runtime's WebSocket, which does not compress. Playwright's own does, at both ends. */
async function connect(url: string): Promise<ConnectOverCDPTransport> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = (event) => reject(new Error(`Chromium takes no commands: ${(event as ErrorEvent).message}`));
  });
  const transport: ConnectOverCDPTransport = {
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => socket.close(),
  };
  // What waits for one message goes on before the next one is taken.
  socket.onmessage = ({ data }) => setImmediate(() => transport.onmessage?.(JSON.parse(data)));
  socket.onclose = ({ reason }) => transport.onclose?.(reason);
  return transport;
}
