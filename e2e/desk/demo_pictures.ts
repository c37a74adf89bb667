/** The pictures of docs/desk.md, and of every view in each size and scheme, in the world of the demonstration. */
import { resolve } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { ROOT } from "../../dev/local/mod.ts";
import { DESK, deskTest, OLIVIA, PHONE, signIn, until } from "./harness.ts";

/** Folders for the pictures of the docs, and for those of every view; neither is made without them. */
const { DESK_PICTURES: docs, DESK_VIEWS: views } = Deno.env.toObject();
const SIZES = [[390, 844], [768, 1024], [1440, 900]] as const;

/** The tabs of an agency, by the ends of their addresses. */
const AGENCY_TABS = ["", "/agency", "/orders", "/bot", "/quick-replies", "/numbers", "/destinations", "/history"];

/** Views that are a row of another one, by what leads there. */
const OPENED: Record<string, (page: Page) => Promise<void>> = {
  conversation: async (page) => {
    await open(page, "inbox/all");
    await page.getByRole("region", { name: "Conversations" }).getByRole("listitem").nth(2).getByRole("link").click();
    await page.locator(".composer").waitFor();
  },
  recruit: (page) => openRow(page, "recruits?sort=-text"),
  ...Object.fromEntries(AGENCY_TABS.map((tab) => [`agency${tab}`, async (page) => {
    await openRow(page, "operator/agencies");
    await open(page, `${page.url().split("#/")[1]}${tab}`);
  }])),
  palette: async (page) => {
    await open(page, "inbox");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
  },
};

const MANAGER = "dana.whitfield@example.com";
const AGENT = "james.okafor@example.com";
const OPERATOR = "olivia.park@example.com";

/** The pictures of the docs: the login, the view and the size of each. */
const PICTURES: Record<string, [login: string, view: string, size?: BrowserContextOptions]> = {
  home: [MANAGER, "home"],
  "home-phone": [MANAGER, "home", PHONE],
  inbox: [AGENT, "conversation"],
  "inbox-phone": [AGENT, "conversation", PHONE],
  "queue-phone": [AGENT, "inbox", PHONE],
  recruits: [MANAGER, "recruits"],
  recruit: [MANAGER, "recruit"],
  "sales-phone": [AGENT, "sales", PHONE],
  settings: [MANAGER, "settings"],
  "operator-today": [OPERATOR, "operator"],
  "operator-deliveries": [OPERATOR, "operator/deliveries"],
  "operator-vendors-phone": [OPERATOR, "operator/vendors", PHONE],
};

/** Every view of each role. */
const VIEWS: Record<string, string[]> = {
  [MANAGER]: [
    ...["home", "inbox", "conversation", "recruits", "recruits?view=board", "recruit"],
    ...["settings", "settings/agency", "settings/orders", "settings/bot", "settings/quick-replies"],
    ...["settings/numbers", "settings/destinations", "settings/notifications", "settings/history", "palette"],
  ],
  [AGENT]: ["inbox", "conversation", "recruits", "recruit", "sales"],
  [OPERATOR]: [
    ...["operator", "operator/search", "operator/deliveries", "operator/waiting", "operator/orders", "operator/texts"],
    ...["operator/agencies", ...AGENCY_TABS.map((tab) => `agency${tab}`)],
    ...[
      "operator/numbers",
      "operator/vendors",
      "operator/vendors/keys",
      "operator/destinations",
      "operator/leads",
      "operator/recruits",
    ],
    ...["operator/duplicates", "operator/jobs", "operator/outbox", "operator/actions"],
  ],
};

/** Opens a view, and resolves once all that it reads is there, or stands where it could not be read. */
async function open(page: Page, view: string): Promise<void> {
  await page.goto(`${DESK}#/${view}`);
  await page.locator("h1").first().waitFor();
  await until(async () => await page.locator(".skeleton").count() === 0);
}

async function openRow(page: Page, view: string): Promise<void> {
  await open(page, view);
  await page.locator(".row-link").first().click();
  await until(async () => await page.locator(".skeleton").count() === 0);
}

/** Keeps a picture of the page for the docs, where these are wanted. */
export async function picture(page: Page, name: string): Promise<void> {
  if (docs) await page.screenshot({ path: resolve(ROOT, docs, `${name}.png`) });
}

/** Takes a picture of a view. */
async function take(page: Page, view: string, path: string): Promise<void> {
  await (OPENED[view] ?? ((page) => open(page, view)))(page);
  await until(async () => await page.locator(".skeleton").count() === 0);
  await page.screenshot({ path: resolve(ROOT, `${path}.png`) });
}

if (docs) {
  for (const [name, [email, view, size]] of Object.entries(PICTURES)) {
    deskTest(`a picture for docs/desk.md: ${name}`, async (page) => {
      await signIn(page, { email, password: OLIVIA.password });
      await take(page, view, `${docs}/desk/${name}`);
    }, size);
  }
}

for (const [email, those] of views ? Object.entries(VIEWS) : []) {
  for (const [width, height] of SIZES) {
    const touch = width < 500 ? { hasTouch: true, isMobile: true } : {};
    deskTest(`pictures of ${email}'s views, ${width} × ${height}`, async (page) => {
      await signIn(page, { email, password: OLIVIA.password });
      for (const view of those) {
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          const name = view.replaceAll(/[/?=]/g, "-");
          await take(page, view, `${views}/${email.split(".")[0]}-${name}-${width}-${colorScheme}`);
        }
      }
    }, { viewport: { width, height }, ...touch });
  }
}
