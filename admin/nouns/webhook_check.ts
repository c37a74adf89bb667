import { type GraphCredentials, graphGet, LEAD_FIELDS } from "../../supabase/functions/recruiting/fetches/graph.ts";
import { isObject, type JsonObject } from "../../supabase/functions/_shared/json.ts";
import { failure, type Result, success } from "../../supabase/functions/_shared/result.ts";
import type { AdminCommand } from "../command.ts";
import { findVendor } from "../find.ts";
import { graphSecrets, lastPage, pageCredentials, whyRefused } from "../graph.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";
import type { WebhookConfig } from "./webhook_schemes.ts";

/** Something that a lead's way from Meta needs. */
interface Finding {
  state: "ok" | "wrong";
  found: string;
  /** What to do; null where nothing is wrong. */
  todo: string | null;
}

/**
 * The rights that leads and notices need:
 * https://developers.facebook.com/docs/marketing-api/guides/lead-ads/retrieving
 */
const RIGHTS = [
  "leads_retrieval",
  "pages_manage_ads",
  "pages_manage_metadata",
  "pages_read_engagement",
  "pages_show_list",
];

/** A token that ends sooner is one of a person's session, and not one for a service. */
const SHORT_MS = 7 * 86_400_000;

export function addWebhookCheck(webhook: AdminCommand): void {
  webhook
    .verb(
      "check <vendor>",
      "asks Meta whether its notices can become leads, and what to click; changes nothing",
      "acme",
    )
    .addHelpText("after", "\nThe exit code is 1 where something is wrong. No lead is stored or shown.")
    .reads(checkWebhook);
}

/** What was found, by what was checked. What Meta says takes the place of what we know ourselves. */
class Findings extends Map<string, Finding> {
  ok(check: string, found: string): void {
    this.set(check, { state: "ok", found, todo: null });
  }

  wrong(check: string, found: string, todo: string): void {
    this.set(check, { state: "wrong", found, todo });
  }

  count(check: string, number: number, todo: string): void {
    if (number === 0) this.wrong(check, "there is none", todo);
    else this.ok(check, number === 1 ? "there is one" : `there are ${number}`);
  }
}

/** What to do, in Meta's words, where something is wrong. */
function todosOf(slug: string) {
  const create = `npm run admin -- vendor webhook secret create ${slug}`;
  return {
    appSecret: `App dashboard, App settings, Basic: the App secret. ${create}`,
    verifyToken: `${create} --kind verify_token --generate`,
    token: "Business settings, Users, System users: assign the page, then Generate token for the app, " +
      `without an end, with ${RIGHTS.join(", ")}. ${create} --kind access_token`,
    page: `npm run admin -- vendor webhook set ${slug} --scheme meta --page-id <the page's id>`,
    access: "Business settings, Integrations, Leads access: assign the app as a CRM",
    form: "Meta Business Suite, All tools, Instant forms: create a form",
  };
}

async function checkWebhook({ sql }: Session, name: string): Promise<Outcome> {
  const vendor = await findVendor(sql, name);
  const { secret: appSecrets, verify_token, access_token: [token] } = await graphSecrets(sql, vendor);
  const todos = todosOf(vendor.slug);
  const findings = new Findings();
  const update = `npm run admin -- vendor update ${vendor.slug}`;
  if (!vendor.is_active) findings.wrong("vendor", "is not active, so its requests get 401", `${update} --active true`);
  if (vendor.parser !== "meta") {
    findings.wrong("parser", `${vendor.parser ?? "none"}, which does not read Meta's leads`, `${update} --parser meta`);
  }
  findings.count("app secret", appSecrets.length, todos.appSecret);
  findings.count("verify token", verify_token.length, todos.verifyToken);
  if (token === undefined) findings.wrong("access token", "there is none", todos.token);
  else {
    const { page_id = await lastPage(sql, vendor.id) } = vendor.webhook_config as WebhookConfig;
    await checkToken(findings, todos, { token, appSecrets }, page_id);
  }
  return outcomeOf(vendor.slug, findings);
}

async function checkToken(
  findings: Findings,
  todos: ReturnType<typeof todosOf>,
  credentials: GraphCredentials,
  given: string | undefined,
): Promise<void> {
  const app = await graphGet("app", { fields: "id,name" }, credentials);
  if (!app.ok) {
    const why = whyRefused(app);
    if (app.code === 100) return findings.wrong("app secret", why, todos.appSecret);
    if (app.code === 190 || app.code === 102) return findings.wrong("access token", why, todos.token);
    return findings.wrong("Graph API", why, "Try again later");
  }
  const { data: token, error } = await describeToken(app.body, app.appSecret, credentials.token);
  const missing = token === null ? [] : RIGHTS.filter((right) => !token.rights.includes(right));
  if (token === null) findings.ok("access token", `Meta takes it; what it may do is not known: ${error}`);
  else {
    const until = token.ends === null ? "without an end" : `until ${inUtc(token.ends)}`;
    const isShort = token.ends !== null && token.ends.getTime() < Date.now() + SHORT_MS;
    const found = `of the app ${app.body.name}, ${until}`;
    if (isShort) findings.wrong("access token", found, todos.token);
    else findings.ok("access token", found);
    if (missing.length === 0) findings.ok("rights", "all that are needed");
    else findings.wrong("rights", `without ${missing.join(", ")}`, todos.token);
  }
  const page = given ?? token?.page;
  if (page === undefined) return findings.wrong("page", "not known", todos.page);
  if (token?.page !== undefined && token.page !== page) {
    return findings.wrong("page", `${page}, but the access token is of the page ${token.page}`, todos.token);
  }
  findings.ok("page", page);
  // Without a right, there is nothing else to click before it is given.
  const clicks = missing.length === 0 ? todos : { ...todos, access: todos.token };
  await checkPage(findings, clicks, page, String(app.body.id), await pageCredentials(page, credentials));
}

async function checkPage(
  findings: Findings,
  todos: ReturnType<typeof todosOf>,
  page: string,
  appId: string,
  credentials: GraphCredentials,
): Promise<void> {
  const install = `Graph API Explorer, with the page's token: POST ${page}/subscribed_apps?subscribed_fields=leadgen`;
  const apps = await graphGet(`${page}/subscribed_apps`, { fields: "id,name,subscribed_fields" }, credentials);
  const fields = apps.ok ? itemsOf(apps.body).find(({ id }) => id === appId)?.subscribed_fields : [];
  if (!apps.ok) findings.wrong("notices", whyRefused(apps), todos.token);
  else if (Array.isArray(fields) && fields.includes("leadgen")) {
    findings.ok("notices", "the page sends leadgen to the app");
  } else findings.wrong("notices", "the page does not send leadgen to the app", install);

  const forms = await graphGet(`${page}/leadgen_forms`, { fields: "id,name,status", limit: "1" }, credentials);
  if (!forms.ok) return findings.wrong("forms", whyRefused(forms), forms.code === 210 ? todos.token : todos.access);
  const [form] = itemsOf(forms.body);
  if (form === undefined) return findings.wrong("forms", "the page has none", todos.form);
  const leads = await graphGet(`${form.id}/leads`, { fields: LEAD_FIELDS, limit: "1" }, credentials);
  if (leads.ok) findings.ok("forms", `leads of "${form.name}" can be read`);
  else findings.wrong("forms", `leads of "${form.name}": ${whyRefused(leads)}`, todos.access);
}

/**
 * What Meta says of a token. Only the app itself may ask:
 * https://developers.facebook.com/docs/graph-api/reference/debug_token
 */
async function describeToken(
  app: JsonObject,
  appSecret: string | null,
  token: string,
): Promise<Result<{ rights: string[]; ends: Date | null; page?: string }>> {
  if (appSecret === null) return failure("there is no app secret");
  const answer = await graphGet(
    "debug_token",
    { input_token: token },
    { token: `${app.id}|${appSecret}`, appSecrets: [appSecret] },
  );
  if (!answer.ok) return failure(whyRefused(answer));
  const { scopes, expires_at, data_access_expires_at, profile_id } = isObject(answer.body.data) ? answer.body.data : {};
  const ends = [expires_at, data_access_expires_at].map(Number).filter((seconds) => seconds > 0);
  return success({
    rights: Array.isArray(scopes) ? scopes.map(String) : [],
    // 0 stands for no end.
    ends: ends.length === 0 ? null : new Date(Math.min(...ends) * 1_000),
    ...(profile_id !== undefined && { page: String(profile_id) }),
  });
}

function inUtc(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function itemsOf({ data }: JsonObject): JsonObject[] {
  return Array.isArray(data) ? data.filter(isObject) : [];
}

function outcomeOf(slug: string, findings: Findings): Outcome {
  const data = Array.from(findings, ([check, finding]) => ({ check, ...finding }));
  const todos = Map.groupBy(data.filter(({ todo }) => todo !== null), ({ todo }) => todo);
  const steps = Array.from(todos, ([todo, of]) => `${of.map(({ check }) => check).join(", ")}: ${todo}`);
  return {
    data,
    text: [
      formatTable(data.map(({ todo: _, ...row }) => row)),
      ...(steps.length === 0 ? [`Meta's notices to ${slug} become leads.`] : steps),
    ].join("\n\n"),
    failed: steps.length > 0,
  };
}
