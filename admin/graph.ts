/** Requests of commands to Meta's Graph API, for a vendor. */
import type postgres from "postgres";
import { type GraphCredentials, type GraphFailure, graphGet } from "../supabase/functions/recruiting/fetches/graph.ts";
import { isObject, type JsonObject } from "../supabase/functions/_shared/json.ts";
import { CommandError } from "./errors.ts";
import type { Row } from "./find.ts";

/** The secrets of a vendor's webhook that work, of each kind the newest first. */
export interface GraphSecrets {
  secret: string[];
  verify_token: string[];
  access_token: string[];
}

/** The number of items in one answer. */
const PAGE_SIZE = "100";

/**
 * The secrets that work of a vendor of Meta's.
 *
 * @throws CommandError where the vendor's webhook is not of the scheme `meta`
 */
export async function graphSecrets(sql: postgres.Sql, { id, slug, webhook_scheme }: Row<"vendors">) {
  if (webhook_scheme !== "meta") {
    throw new CommandError(
      `${slug} has no webhook of the scheme meta: npm run admin -- vendor webhook set ${slug} --scheme meta`,
    );
  }
  const rows = await sql<{ kind: keyof GraphSecrets; secret: string }[]>`
    select s.kind, s.secret from private.vendor_webhook_secrets s
    where s.vendor_id = ${id} and s.revoked_at is null and (s.expires_at is null or s.expires_at > now())
    order by s.created_at desc`;
  const secrets: GraphSecrets = { secret: [], verify_token: [], access_token: [] };
  for (const { kind, secret } of rows) secrets[kind].push(secret);
  return secrets;
}

/** The page of a vendor's last notice. */
export async function lastPage(sql: postgres.Sql, vendorId: string): Promise<string | undefined> {
  const [last] = await sql<{ page_id: string }[]>`
    select f.page_id from private.lead_fetches f
    where f.vendor_id = ${vendorId} and f.page_id is not null order by f.created_at desc limit 1`;
  return last?.page_id;
}

/**
 * Returns the credentials for a page's lists: the page's own token, which a system user's token may read.
 * https://developers.facebook.com/docs/graph-api/reference/page
 */
export async function pageCredentials(page: string, credentials: GraphCredentials): Promise<GraphCredentials> {
  const answer = await graphGet(page, { fields: "access_token" }, credentials);
  const token = answer.ok ? answer.body.access_token : undefined;
  return typeof token === "string" ? { ...credentials, token } : credentials;
}

/**
 * All items of a list.
 *
 * @throws GraphError if Meta does not return a part of it
 */
export async function graphList(
  path: string,
  query: Record<string, string>,
  credentials: GraphCredentials,
): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  for (let after: string | undefined = "";;) {
    const answer = await graphGet(path, { ...query, limit: PAGE_SIZE, ...(after && { after }) }, credentials);
    if (!answer.ok) throw new GraphError(answer);
    const { data, paging } = answer.body;
    items.push(...(Array.isArray(data) ? data.filter(isObject) : []));
    // The last page has a cursor too, and no `next`.
    const cursors = isObject(paging) && paging.next !== undefined && isObject(paging.cursors) ? paging.cursors : {};
    if (typeof cursors.after !== "string" || cursors.after === after) return items;
    after = cursors.after;
  }
}

/** Meta refused a request. */
export class GraphError extends CommandError {
  readonly failure: GraphFailure;

  constructor(failure: GraphFailure) {
    super(whyRefused(failure));
    this.failure = failure;
  }
}

/** Explains why Meta refused a request, without personal data. */
export function whyRefused({ reason, status, code, subcode, retryAfterSeconds }: GraphFailure): string {
  switch (reason) {
    case "configuration":
      return "META_GRAPH_BASE_URL must be an origin, such as https://graph.facebook.com";
    case "no_connection":
      return "the Graph API cannot be reached";
    case "lost":
      return "the Graph API has not answered";
    case "refused":
      return whyCode(status, code, subcode, retryAfterSeconds);
    default:
      return `what answered is not the Graph API (HTTP ${status})`;
  }
}

function whyCode(
  status: number | null,
  code: number | null,
  subcode: number | null,
  wait: number | null,
): string {
  const named = code === null ? `HTTP ${status}` : `code ${code}${subcode === null ? "" : `/${subcode}`}`;
  if (isLimit(status, code)) {
    const minutes = wait === null ? "an hour" : `${Math.ceil(wait / 60)} min`;
    return `too many calls (${named}): wait ${minutes}`;
  }
  if (code === 190 || code === 102) return `the access token ${whyEnded(subcode)} (${named})`;
  if (code === 210) return `the access token is not the page's, nor its user one of the page (${named})`;
  if (code === 10 || code !== null && code >= 200 && code < 300) return `the access token may not read it (${named})`;
  if (code === 100 && subcode === 33) return `it is not there, or the access token may not read it (${named})`;
  if (code === 100) return `Meta does not take the app secret, or the request (${named})`;
  return `Meta has an error (${named})`;
}

/** https://developers.facebook.com/docs/graph-api/overview/rate-limiting */
function isLimit(status: number | null, code: number | null): boolean {
  return status === 429 || code !== null && ([4, 17, 32, 613].includes(code) || code >= 80_000 && code < 80_100);
}

/** https://developers.facebook.com/docs/graph-api/guides/error-handling */
function whyEnded(subcode: number | null): string {
  switch (subcode) {
    case 458:
      return "has ended, because the app was removed";
    case 460:
      return "has ended, because its user's password was changed";
    case 463:
      return "has expired";
    default:
      return "is not valid";
  }
}
