import { graphGet, LEAD_FIELDS } from "../../supabase/functions/recruiting/fetches/graph.ts";
import { isObject, type JsonObject } from "../../supabase/functions/_shared/json.ts";
import type { AdminCommand } from "../command.ts";
import { findVendor } from "../find.ts";
import { graphSecrets, lastPage, whyRefused } from "../graph.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";
import type { WebhookConfig } from "./webhook_schemes.ts";

/** Something that a lead's way from Meta needs. */
interface Finding {
  check: string;
  state: "ok" | "wrong";
  found: string;
  /** What to do; null where nothing is wrong. */
  todo: string | null;
}

/** The rights that the documentation asks for: https://developers.facebook.com/docs/marketing-api/guides/lead-ads/retrieving */
const RIGHTS = [
  "leads_retrieval",
  "pages_manage_ads",
  "pages_manage_metadata",
  "pages_read_engagement",
  "pages_show_list",
];

export function addWebhookCheck(webhook: AdminCommand): void {
  webhook
    .verb(
      "check <vendor>",
      "asks Meta whether its notices can become leads, and what to click; changes nothing",
      "acme",
    )
    .addHelpText("after", "\nThe exit code is 1 where something is wrong. No lead is stored or shown.")
    .runs(checkWebhook);
}

async function checkWebhook({ sql }: Session, name: string): Promise<Outcome> {
  const vendor = await findVendor(sql, name);
  const { slug } = vendor;
  const { secret: appSecrets, verify_token, access_token: [token] } = await graphSecrets(sql, vendor);
  const { page_id } = vendor.webhook_config as WebhookConfig;
  const create = `npm run admin -- vendor webhook secret create ${slug}`;

  const findings: Finding[] = [];
  const ok = (check: string, found: string) => void findings.push({ check, state: "ok", found, todo: null });
  const wrong = (check: string, found: string, todo: string) =>
    void findings.push({ check, state: "wrong", found, todo });
  const has = (check: string, count: number, todo: string) =>
    count > 0 ? ok(check, `${count} works`) : wrong(check, "there is none", todo);

  const newSecret = `App dashboard, App settings, Basic: the App secret. ${create}`;
  has("app secret", appSecrets.length, newSecret);
  has("verify token", verify_token.length, `${create} --kind verify_token --generate`);
  await checkToken();
  return outcomeOf(slug, findings);

  async function checkToken(): Promise<void> {
    const newToken = "Business settings, Users, System users: Generate token, with the app, " +
      `${RIGHTS.join(", ")}; with it the page's own token. ${create} --kind access_token`;
    if (token === undefined) return wrong("access token", "there is none", newToken);

    const credentials = { token, appSecrets };
    const app = await graphGet("app", { fields: "id,name" }, credentials);
    if (!app.ok) {
      const why = whyRefused(app);
      if (app.code === 100) return wrong("app secret", why, newSecret);
      if (app.code === 190 || app.code === 102) return wrong("access token", why, newToken);
      return wrong("Graph API", why, "Try again later");
    }
    const described = await describeToken(app.body, app.appSecret, token);
    if (typeof described === "string") ok("access token", `Meta takes it; what it may do is not known: ${described}`);
    else {
      const missing = RIGHTS.filter((right) => !described.rights.includes(right));
      ok("access token", `of the app ${app.body.name}, ${described.until}`);
      if (missing.length === 0) ok("rights", "all that are needed");
      else wrong("rights", `without ${missing.join(", ")}`, newToken);
    }
    const ofToken = typeof described === "string" ? undefined : described.page;
    const page = page_id ?? ofToken ?? await lastPage(sql, vendor.id);
    if (page === undefined) {
      return wrong(
        "page",
        "not known",
        `npm run admin -- vendor webhook set ${slug} --scheme meta --page-id <the page's id>`,
      );
    }
    if (ofToken !== undefined && ofToken !== page) {
      return wrong("page", `${page}, but the access token is of the page ${ofToken}`, newToken);
    }
    ok("page", page);
    await checkPage(page, String(app.body.id), credentials);
  }

  async function checkPage(
    page: string,
    appId: string,
    credentials: { token: string; appSecrets: string[] },
  ): Promise<void> {
    const apps = await graphGet(`${page}/subscribed_apps`, { fields: "id,name,subscribed_fields" }, credentials);
    const install = `Graph API Explorer, with the page's token: POST ${page}/subscribed_apps?subscribed_fields=leadgen`;
    if (!apps.ok) wrong("notices", whyRefused(apps), install);
    else {
      const fields = itemsOf(apps.body).find(({ id }) => id === appId)?.subscribed_fields;
      if (Array.isArray(fields) && fields.includes("leadgen")) ok("notices", "the page sends leadgen to the app");
      else wrong("notices", "the page does not send leadgen to the app", install);
    }

    const access = "Business settings, Integrations, Leads access: assign the app as a CRM";
    const forms = await graphGet(`${page}/leadgen_forms`, { fields: "id,name,status", limit: "1" }, credentials);
    if (!forms.ok) return wrong("forms", whyRefused(forms), access);
    const [form] = itemsOf(forms.body);
    if (form === undefined) {
      return wrong("forms", "the page has none", "Meta Business Suite, All tools, Instant forms: create a form");
    }
    const leads = await graphGet(`${form.id}/leads`, { fields: LEAD_FIELDS, limit: "1" }, credentials);
    if (!leads.ok) return wrong("forms", `leads of "${form.name}": ${whyRefused(leads)}`, access);
    ok("forms", `leads of "${form.name}" can be read`);
  }
}

/**
 * What Meta says of a token. Only the app itself may ask: https://developers.facebook.com/docs/graph-api/reference/debug_token
 *
 * @returns why Meta does not say it
 */
async function describeToken(app: JsonObject, appSecret: string | null, token: string) {
  if (appSecret === null) return "there is no app secret";
  const answer = await graphGet(
    "debug_token",
    { input_token: token },
    { token: `${app.id}|${appSecret}`, appSecrets: [appSecret] },
  );
  if (!answer.ok) return whyRefused(answer);
  const { scopes, expires_at, data_access_expires_at, profile_id } = isObject(answer.body.data) ? answer.body.data : {};
  const ends = [expires_at, data_access_expires_at].map(Number).filter((seconds) => seconds > 0);
  return {
    rights: Array.isArray(scopes) ? scopes.map(String) : [],
    until: ends.length === 0 ? "without an end" : `until ${new Date(Math.min(...ends) * 1_000).toISOString()}`,
    page: profile_id === undefined ? undefined : String(profile_id),
  };
}

function itemsOf({ data }: JsonObject): JsonObject[] {
  return Array.isArray(data) ? data.filter(isObject) : [];
}

function outcomeOf(slug: string, findings: Finding[]): Outcome {
  const wrong = findings.filter(({ state }) => state === "wrong");
  const todos = wrong.map(({ check, todo }) => `${check}: ${todo}.`);
  const rows = findings.map(({ todo: _, ...row }) => row);
  return {
    data: findings,
    text: [
      formatTable(rows),
      wrong.length === 0 ? `Meta's notices to ${slug} become leads.` : todos.join("\n\n"),
    ].join("\n\n"),
    failed: wrong.length > 0,
  };
}
