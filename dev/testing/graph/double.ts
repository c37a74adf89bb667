import { createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { LoopbackServer, type Reply, send } from "../loopback_server.ts";
import { GRAPH_APP, GRAPH_PAGE, GRAPH_SCOPES, GRAPH_TOKEN, graphSettings } from "./app.ts";
import { graphError, usageHeader } from "./errors.ts";

/** What is asked for. */
export type GraphCall = "lead" | "page" | "leads" | "forms" | "subscribed_apps" | "debug_token" | "app";

/** A fault of the next requests. */
export interface GraphFault {
  /** The calls that fail; each one unless given. */
  call?: GraphCall;
  /** Only those for this lead, form or page. */
  id?: string;
  /** The number of requests; 1 unless given. -1: all of them. */
  times?: number;
  /** The time that the response takes, in milliseconds. */
  delay_ms?: number;
  /** Closes the connection in place of a response. */
  drop?: boolean;
  /** Responds with this HTTP status, and with these codes of Meta's in the error. */
  status?: number;
  code?: number;
  subcode?: number;
  /** The minutes of `X-Business-Use-Case-Usage`. */
  wait_minutes?: number;
  /** Redirects to this URL, with the status 302. */
  location?: string;
  /** Responds with 200 and JSON of so many bytes. */
  bytes?: number;
  /** Responds with 200 and this text. */
  text?: string;
}

/** A lead, as the Graph API gives it. */
export interface GraphLead {
  id: string;
  form_id: string;
  created_time: string;
  field_data: { name: string; values: string[] }[];
  [field: string]: unknown;
}

/** A form of a page. */
export interface GraphForm {
  id: string;
  name: string;
  status: "ACTIVE" | "ARCHIVED";
}

/** A token that the double knows. */
export interface GraphToken {
  type: "PAGE" | "USER" | "SYSTEM_USER";
  is_valid: boolean;
  /** Unix seconds; 0: never. */
  expires_at: number;
  scopes: string[];
  /** The page of a page's token. */
  profile_id?: string;
}

/** A request that came. Its secrets are left out. */
export interface GraphRequest {
  path: string;
  query: Record<string, string>;
  /** Whether `appsecret_proof` was right; null where there was none. */
  proof: boolean | null;
}

/** The page's token when nothing is wrong with it. */
const USUAL_TOKEN: GraphToken = {
  type: "PAGE",
  is_valid: true,
  expires_at: 0,
  scopes: GRAPH_SCOPES,
  profile_id: GRAPH_PAGE.id,
};

const LEADS_IN_PAGE = 25;

/**
 * A double of the part of Meta's Graph API that fetches leads.
 * Sources: https://developers.facebook.com/docs/marketing-api/guides/lead-ads/retrieving and
 * https://developers.facebook.com/docs/graph-api/reference/debug_token
 */
export class GraphDouble extends LoopbackServer {
  static override readonly portVariable = "GRAPH_DOUBLE_PORT";
  readonly #requests: GraphRequest[] = [];
  readonly #leads = new Map<string, GraphLead>();
  #forms: GraphForm[] = [];
  readonly #tokens = new Map<string, GraphToken>();
  /** The fields that the page is subscribed to with the app; null: it is not subscribed. */
  #subscribed: string[] | null = ["leadgen"];
  #faults: (GraphFault & { times: number })[] = [];

  constructor(port: number) {
    super(port);
    this.reset();
  }

  /** The settings with which functions and commands use it. */
  get settings(): Record<string, string> {
    return graphSettings(this.port);
  }

  /** Forgets leads, forms, tokens, faults and requests. There is one token, and nothing is missing. */
  reset(): void {
    this.#leads.clear();
    this.#tokens.clear();
    this.#tokens.set(GRAPH_TOKEN, USUAL_TOKEN);
    this.#forms = [];
    this.#subscribed = ["leadgen"];
    this.#faults = [];
    this.#requests.length = 0;
  }

  /** The requests so far, oldest first; those of one call and id where these are given. */
  requests(path?: string): GraphRequest[] {
    return this.#requests.filter((request) => path === undefined || request.path === path);
  }

  /** Makes the next requests fail in this way. */
  fail(fault: GraphFault): void {
    this.#faults.push({ times: 1, ...fault });
  }

  /** Forgets the faults that did not come yet. */
  clearFaults(): void {
    this.#faults = [];
  }

  /** Adds a lead, and its form where the page does not have it. */
  addLead(lead: GraphLead): void {
    if (!this.#forms.some(({ id }) => id === lead.form_id)) this.addForm({ id: lead.form_id });
    this.#leads.set(lead.id, lead);
  }

  addForm(form: Partial<GraphForm> & { id: string }): void {
    this.#forms.push({ name: `Form ${form.id}`, status: "ACTIVE", ...form });
  }

  /** Changes a token, or adds one; null takes it away. */
  setToken(token: string, change: Partial<GraphToken> | null): void {
    if (change === null) this.#tokens.delete(token);
    else this.#tokens.set(token, { ...USUAL_TOKEN, ...this.#tokens.get(token), ...change });
  }

  /** The fields that the page tells the app of; null: the page does not know the app. */
  subscribe(fields: string[] | null): void {
    this.#subscribed = fields;
  }

  /** Does what another process asks for: each of the methods above by its name, with its arguments. */
  #control(asked: Record<string, unknown[]>): Reply {
    for (const [name, given] of Object.entries(asked)) {
      const methods: Record<string, (...given: never[]) => void> = {
        reset: () => this.reset(),
        fail: (fault) => this.fail(fault),
        clearFaults: () => this.clearFaults(),
        addLead: (lead) => this.addLead(lead),
        addForm: (form) => this.addForm(form),
        setToken: (token, change) => this.setToken(token, change),
        subscribe: (fields) => this.subscribe(fields),
      };
      if (methods[name] === undefined) return { status: 404, body: { error: `no method ${name}` } };
      methods[name](...given as never[]);
    }
    return { status: 200, body: {} };
  }

  protected override async respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    send(response, await this.#reply(incoming));
  }

  /** @returns null where the connection is to be closed without a response */
  async #reply(incoming: IncomingMessage): Promise<Reply | null> {
    const { pathname, searchParams } = new URL(incoming.url!, this.url);
    if (pathname === "/double/requests") return { status: 200, body: this.#requests };
    if (pathname === "/double") return this.#control(JSON.parse(await new Response(incoming).text()));

    const [, path = ""] = /^\/v\d+\.\d+\/(.+)$/.exec(pathname) ?? [];
    const token = incoming.headers.authorization?.replace(/^Bearer /, "") ?? "";
    const { appsecret_proof: proof, input_token, ...query } = Object.fromEntries(searchParams);
    const isProved = proof === createHmac("sha256", GRAPH_APP.secret).update(token).digest("hex");
    this.#requests.push({ path, query, proof: proof === undefined ? null : isProved });

    const [call, id] = this.#callOf(path);
    const fault = this.#faults.find((waiting) =>
      (waiting.call ?? call) === call && (waiting.id ?? id) === id && waiting.times !== 0
    );
    if (fault !== undefined) {
      fault.times--;
      await new Promise((resolve) => setTimeout(resolve, fault.delay_ms ?? 0));
      if (fault.drop) return null;
      const reply = replyOf(fault);
      if (reply !== undefined) return reply;
    }
    if (proof !== undefined && !isProved) return graphError(100);
    if (call === "debug_token") return this.#debugToken(token, input_token);
    const problem = this.#problemOf(token, call);
    if (problem !== undefined) return problem;
    return this.#answer(call, id, query);
  }

  #callOf(path: string): [call: GraphCall | undefined, id: string] {
    const [id = "", edge] = path.split("/");
    if (id === GRAPH_PAGE.id && edge === undefined) return ["page", id];
    if (edge === undefined) return [id === "debug_token" || id === "app" ? id : "lead", id];
    const calls = { leads: "leads", leadgen_forms: "forms", subscribed_apps: "subscribed_apps" } as const;
    return [calls[edge as keyof typeof calls], id];
  }

  #problemOf(token: string, call: GraphCall | undefined): Reply | undefined {
    const known = this.#tokens.get(token);
    if (known === undefined) return graphError(190);
    if (isExpired(known)) return graphError(190, { subcode: 463 });
    if (!known.is_valid) return graphError(190, { subcode: 460 });
    if (call === "app" || call === "page") return undefined;
    if ((call === "subscribed_apps" || call === "forms") && known.type !== "PAGE") return graphError(210);
    const scope = call === "subscribed_apps" ? "pages_manage_metadata" : "leads_retrieval";
    if (!known.scopes.includes(scope)) return graphError(call === "lead" ? 10 : 200);
  }

  #answer(call: GraphCall | undefined, id: string, query: Record<string, string>): Reply {
    switch (call) {
      case "app":
        return { status: 200, body: { id: GRAPH_APP.id, name: GRAPH_APP.name } };
      case "page":
        return { status: 200, body: only(query.fields, { ...GRAPH_PAGE, ...this.#tokenOfPage() }) };
      case "lead": {
        const lead = this.#leads.get(id);
        return lead === undefined ? graphError(100, { subcode: 33 }) : { status: 200, body: only(query.fields, lead) };
      }
      case "forms":
        if (id !== GRAPH_PAGE.id) return graphError(100, { subcode: 33 });
        return paged(this.#forms, query);
      case "leads": {
        if (!this.#forms.some((form) => form.id === id)) return graphError(100, { subcode: 33 });
        const since = sinceOf(query.filtering);
        const leads = [...this.#leads.values()].filter(({ form_id, created_time }) =>
          form_id === id && Date.parse(created_time) > since
        );
        return paged(leads.toReversed(), query);
      }
      case "subscribed_apps": {
        if (id !== GRAPH_PAGE.id) return graphError(100, { subcode: 33 });
        const { id: app, name } = GRAPH_APP;
        const subscribed = this.#subscribed && [{ id: app, name, subscribed_fields: this.#subscribed }];
        return { status: 200, body: { data: subscribed ?? [] } };
      }
      default:
        return graphError(100);
    }
  }

  /** The page's own token, which users of the page may read. */
  #tokenOfPage(): object {
    return this.#tokens.has(GRAPH_TOKEN) ? { access_token: GRAPH_TOKEN } : {};
  }

  /** Asked with the app's own access token, which is `<app id>|<app secret>`. */
  #debugToken(token: string, input: string | undefined): Reply {
    if (token !== `${GRAPH_APP.id}|${GRAPH_APP.secret}`) return graphError(190);
    const known = this.#tokens.get(input ?? "");
    if (known === undefined) {
      return { status: 200, body: { data: { is_valid: false, scopes: [], error: { code: 190 } } } };
    }
    const { profile_id, ...others } = known;
    const data = {
      app_id: GRAPH_APP.id,
      application: GRAPH_APP.name,
      data_access_expires_at: 0,
      ...others,
      ...(known.type === "PAGE" && { profile_id }),
      is_valid: known.is_valid && !isExpired(known),
    };
    return { status: 200, body: { data } };
  }
}

function replyOf(fault: GraphFault): Reply | undefined {
  const { status, code, subcode, wait_minutes, location, bytes, text } = fault;
  if (location !== undefined) return { status: 302, headers: { location } };
  if (bytes !== undefined) return { status: 200, body: { id: "1", padding: "x".repeat(bytes) } };
  if (text !== undefined) return { status: status ?? 200, body: text };
  if (status === undefined && code === undefined) return undefined;
  const headers = wait_minutes === undefined ? undefined : usageHeader(wait_minutes);
  const reply = code === undefined ? { status: status!, body: {} } : graphError(code, { status, subcode });
  return { ...reply, headers };
}

function isExpired({ expires_at }: GraphToken): boolean {
  return expires_at !== 0 && expires_at * 1_000 <= Date.now();
}

/** The fields that were asked for, and the id. Without a word Meta gives these two. */
function only(fields = "id,created_time", item: object): object {
  const names = ["id", ...fields.split(",")];
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}

/** A page of a list. The cursor is the place of the last item. */
function paged(items: object[], { after, limit, fields }: Record<string, string>): Reply {
  const start = after === undefined ? 0 : Number(atob(after));
  const end = start + Math.min(Number(limit ?? LEADS_IN_PAGE), 100);
  const data = items.slice(start, end).map((item) => only(fields, item));
  const cursors = { before: btoa(`${start}`), after: btoa(`${start + data.length}`) };
  const next = end < items.length ? { next: "https://graph.facebook.com/next" } : {};
  return { status: 200, body: data.length === 0 ? { data } : { data, paging: { cursors, ...next } } };
}

/** The time of `[{"field":"time_created","operator":"GREATER_THAN","value":<Unix seconds>}]`, in milliseconds. */
function sinceOf(filtering = "[]"): number {
  const [filter] = JSON.parse(filtering) as { field: string; operator: string; value: number }[];
  const isKnown = filter?.field === "time_created" && filter.operator === "GREATER_THAN";
  return isKnown ? filter.value * 1_000 : -Infinity;
}
