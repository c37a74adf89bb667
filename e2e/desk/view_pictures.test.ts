/** Pictures of every view, to be looked at: DESK_PICTURES=<folder> npm test -- desk e2e/desk/view_pictures.test.ts */
import type { Page } from "playwright-core";
import { DESK, deskTest, OLIVIA, picture, signIn, until } from "./harness.ts";

const { password } = OLIVIA;
const VIEWS = [
  { role: "manager", email: "dana.whitfield@example.com", views: ["home", "inbox", "recruits", "sales", "settings"] },
  { role: "agent", email: "james.okafor@example.com", views: ["inbox", "recruits"] },
  { role: "operator", email: OLIVIA.email, views: ["operator", "operator/orders", "operator/vendors"] },
];
const SIZES = [[390, 844], [768, 1024], [1440, 900]] as const;

/** Resolves once all that a view reads is there, or stands where it could not be read. */
async function stands(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await until(async () => await page.locator(".skeleton").count() === 0);
}

for (const { role, email, views } of Deno.env.has("DESK_PICTURES") ? VIEWS : []) {
  for (const [width, height] of SIZES) {
    const touch = width < 500 ? { hasTouch: true, isMobile: true } : {};
    deskTest(`pictures for the ${role}, ${width} × ${height}`, async (page) => {
      await signIn(page, { email, password });
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        for (const view of views) {
          await page.goto(`${DESK}#/${view}`);
          await stands(page);
          await picture(page, [role, view.replace("/", "-"), width, colorScheme].join("-"));
        }
        // What is opened from a list.
        if (role === "operator") continue;
        await page.goto(`${DESK}#/inbox/all`);
        await page.getByRole("region", { name: "Conversations" }).getByRole("listitem").first().getByRole("link")
          .click();
        await page.locator(".composer").waitFor();
        await stands(page);
        await picture(page, [role, "conversation", width, colorScheme].join("-"));
        await page.keyboard.press("Control+k");
        await page.getByRole("dialog").waitFor();
        await picture(page, [role, "palette", width, colorScheme].join("-"));
        await page.keyboard.press("Escape");
      }
    }, { viewport: { width, height }, ...touch });
  }
}
