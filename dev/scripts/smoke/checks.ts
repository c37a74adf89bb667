import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { assertSignUpClosed, CLOSE_SIGN_UP } from "../auth_settings.ts";
import type { Keys, Project } from "./project.ts";
import { MIB } from "../../../supabase/functions/_shared/units.ts";

/** Something that must hold where the project runs. */
export interface Check {
  name: string;
  /** The keys without which it is skipped. */
  needs: (keyof Keys)[];
  /** @throws {Error} saying what came instead of what was expected */
  run(project: Project): Promise<void>;
  /** The remedy when it fails. */
  remedy: string;
}

interface Expected {
  status: number;
  /** The error's code, where an error is expected. */
  code?: string;
  headers?: Record<string, RegExp>;
}

const ACTIVITY_PATH = "/api/leads/log-presentation-activity";
const DRY_RUN_PATH = "/recruiting/ingest?dry_run=true";

/** No lead has this id, so that what is asked for it stores nothing. */
const NOBODY = "00000000-0000-4000-8000-000000000000";

/** All checks, in the order in which one is best mended before the next. */
export const CHECKS: Check[] = [
  {
    name: "all functions are healthy, and keep the caller's x-request-id",
    needs: [],
    async run(project) {
      for (const name of ["recruiting", "api", "worker", "desk"]) {
        const id = `smoke-${crypto.randomUUID()}`;
        await expectResponse(project, `/${name}/health`, {
          headers: { "x-request-id": id },
        }, { status: 200, headers: { "x-request-id": new RegExp(`^${id}$`) } });
      }
    },
    remedy:
      "404: deploy the functions (npm run deploy). 503: the database is not reached or lacks migrations, as the response says (npm run deploy). 546: see their logs in the dashboard.",
  },
  {
    name: "the gateway asks for no JWT of its own: the functions refuse callers without a key",
    needs: [],
    async run(project) {
      for (const path of ["/recruiting/ingest", "/worker/run", "/desk/deliveries/replay"]) {
        await expectResponse(project, path, { body: {} }, { status: 401, code: "UNAUTHORIZED" });
      }
    },
    remedy: "A 401 of another form is the gateway's: deploy with verify_jwt = false, as supabase/config.toml says.",
  },
  {
    name: "user and password of a webhook arrive: the function refuses those of nobody",
    needs: [],
    run: (project) =>
      expectResponse(project, "/recruiting/webhooks/smoke", {
        headers: { authorization: `Basic ${btoa("smoke:test")}` },
        body: {},
      }, { status: 401, code: "UNAUTHORIZED" }),
    remedy:
      "A 401 of another form is the gateway's, which takes no Authorization: Basic. Then let these vendors use the scheme " +
      "header or query.",
  },
  {
    name: "a vendor's key arrives as Authorization: Bearer, and the functions reach the database",
    needs: ["VENDOR_API_KEY"],
    run: (project) =>
      expectResponse(project, DRY_RUN_PATH, {
        headers: vendorHeaders(project),
        body: { first_name: "Smoke" },
      }, { status: 200 }),
    remedy:
      "401: the key is revoked, expired or of another project. 400: take the key of a vendor whose parser is generic. " +
      "500: apply the migrations (npm run deploy), and look at the project's API keys: without a secret key and with the " +
      "older keys switched off the functions can't call the database.",
  },
  {
    name: "the publishable key counts in the header apikey",
    needs: ["SUPABASE_PUBLISHABLE_KEY"],
    run: (project) => expectKeyCounts(project, "", { apikey: project.keys.SUPABASE_PUBLISHABLE_KEY! }),
    remedy: "401: take the publishable key of this very project from the dashboard (Settings, API keys).",
  },
  {
    name: "the publishable key counts as Authorization: Bearer",
    needs: ["SUPABASE_PUBLISHABLE_KEY"],
    run: (project) =>
      expectKeyCounts(project, "", {
        authorization: `Bearer ${project.keys.SUPABASE_PUBLISHABLE_KEY}`,
      }),
    remedy: "If the header apikey works and this does not, the gateway keeps it back: let the pop-out send apikey.",
  },
  {
    name: "the publishable key counts as ?apikey=, which sendBeacon needs",
    needs: ["SUPABASE_PUBLISHABLE_KEY"],
    run: (project) => {
      const query = new URLSearchParams({ apikey: project.keys.SUPABASE_PUBLISHABLE_KEY! });
      return expectKeyCounts(project, `?${query}`, {});
    },
    remedy:
      "If the header apikey works and this does not, the gateway keeps the query back: let the pop-out use fetch with keepalive.",
  },
  {
    name: "the older anon key counts",
    needs: ["SUPABASE_ANON_KEY"],
    run: (project) => expectKeyCounts(project, "", { apikey: project.keys.SUPABASE_ANON_KEY! }),
    remedy: "The older keys may be switched off: let the pop-out use the publishable key.",
  },
  {
    name: "nobody can sign up, and an address is confirmed by its mailbox alone",
    needs: ["SUPABASE_PUBLISHABLE_KEY"],
    run: ({ functionsUrl, keys }) => assertSignUpClosed(functionsUrl, keys.SUPABASE_PUBLISHABLE_KEY!),
    remedy: CLOSE_SIGN_UP,
  },
  {
    name: "a page of another origin may call the activity route",
    needs: [],
    run: (project) =>
      expectResponse(project, ACTIVITY_PATH, {
        method: "OPTIONS",
        headers: {
          "origin": "https://popout.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": "apikey,content-type",
        },
      }, {
        status: 204,
        headers: {
          "access-control-allow-origin": /^https:\/\/popout\.example$/,
          "access-control-allow-credentials": /^true$/,
          "access-control-allow-headers": /apikey.*content-type/,
        },
      }),
    remedy: "The gateway must hand OPTIONS to the function: deploy with verify_jwt = false.",
  },
  {
    name: "the import key is the project's",
    needs: ["LEADS_IMPORT_API_KEY", "AGENCY_ID", "AGENT_ID"],
    run: (project) =>
      expectResponse(project, "/api/leads/import", {
        headers: { "x-api-key": project.keys.LEADS_IMPORT_API_KEY! },
        body: { agency_id: project.keys.AGENCY_ID, agent_id: project.keys.AGENT_ID, leads: [] },
      }, { status: 200 }),
    remedy: "401: npx supabase secrets set LEADS_IMPORT_API_KEY=… 400: the agency or the agent is not known there.",
  },
  {
    name: "a body of 14 MiB with a resume of 10 MiB comes through",
    needs: ["VENDOR_API_KEY"],
    run: (project) =>
      expectResponse(project, DRY_RUN_PATH, {
        headers: vendorHeaders(project),
        body: bodyOf(14 * MIB),
      }, { status: 200 }),
    remedy:
      "413 of another form: a proxy before the project has a lower limit. 546: the function ran out of memory or CPU; see its logs.",
  },
  {
    name: "a body of 16 MiB is refused by the function, with PAYLOAD_TOO_LARGE",
    needs: ["VENDOR_API_KEY"],
    run: (project) =>
      expectResponse(project, DRY_RUN_PATH, {
        headers: vendorHeaders(project),
        body: bodyOf(16 * MIB),
      }, { status: 413, code: "PAYLOAD_TOO_LARGE" }),
    remedy: "Another 413 comes from a proxy, which is no harm. Anything else: see the function's logs.",
  },
  {
    name: "a callback signed as Twilio signs is accepted",
    needs: ["TWILIO_AUTH_TOKEN"],
    run(project) {
      const path = "/recruiting/sms/status";
      // Without a MessageSid it is accepted and ignored.
      const parameters = { MessageStatus: "delivered" };
      const base = project.keys.PUBLIC_FUNCTIONS_URL || project.functionsUrl;
      const signature = getExpectedTwilioSignature(
        project.keys.TWILIO_AUTH_TOKEN!,
        base.replace(/\/+$/, "") + path,
        parameters,
      );
      return expectResponse(project, path, {
        headers: { "x-twilio-signature": signature },
        body: new URLSearchParams(parameters),
      }, { status: 200 });
    },
    remedy:
      "401: TWILIO_AUTH_TOKEN differs from the project's secret, or PUBLIC_FUNCTIONS_URL there is not the address that " +
      "Twilio calls. Set both: npx supabase secrets set TWILIO_AUTH_TOKEN=… PUBLIC_FUNCTIONS_URL=…",
  },
];

/** Past the key, the route says that there is no such lead. */
function expectKeyCounts(project: Project, query: string, headers: Record<string, string>) {
  const body = { lead_id: NOBODY, agent_id: NOBODY, type: "presentation_started" };
  return expectResponse(project, ACTIVITY_PATH + query, { headers, body }, {
    status: 404,
    code: "NOT_FOUND",
  });
}

function vendorHeaders({ keys }: Project): Record<string, string> {
  return { authorization: `Bearer ${keys.VENDOR_API_KEY}` };
}

/** A lead with a resume of 10 MiB, in JSON with spaces behind it to the size that is wanted. */
function bodyOf(bytes: number): string {
  const resume = btoa("%PDF-1.4\n".padEnd(10 * MIB, "x"));
  return JSON.stringify({ first_name: "Smoke", resume }).padEnd(bytes);
}

/** Sends a request, POST where it has a body, and compares the response with what is expected. */
async function expectResponse(
  project: Project,
  path: string,
  { method, headers, body }: {
    method?: string;
    headers?: Record<string, string>;
    body?: object | string;
  },
  expected: Expected,
): Promise<void> {
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(project.functionsUrl + path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...(body !== undefined && !isForm && { "content-type": "application/json" }),
      ...headers,
    },
    body: isForm || typeof body === "string" || body === undefined ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  const wrong = Object.entries(expected.headers ?? {})
    .filter(([name, pattern]) => !pattern.test(response.headers.get(name) ?? ""))
    .map(([name]) => `${name}: ${response.headers.get(name) ?? "missing"}`);
  const hasCode = expected.code === undefined || text.includes(`"code":"${expected.code}"`);
  if (response.status === expected.status && hasCode && wrong.length === 0) return;
  const wanted = [`HTTP ${expected.status}`, expected.code].filter(Boolean).join(" ");
  const got = [`HTTP ${response.status}`, ...wrong, text.slice(0, 300)].filter(Boolean).join(", ");
  throw new Error(`expected ${wanted}, got ${got}`);
}
