import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import openApi from "../../../supabase/functions/_shared/openapi.json" with { type: "json" };
import type { StackInfo } from "../stack_info.ts";

/** A request that works as pasted, however often. */
export interface Example {
  route: string;
  title: string;
  /** A shell command with the addresses and keys of the stack. */
  command: string;
}

/** The routes of the specification. */
const ROUTES = [
  "POST /recruiting/ingest",
  "POST /recruiting/ingest/bulk",
  "POST /api/leads/import",
  "POST /api/leads/log-presentation-activity",
  "POST /recruiting/sms/inbound",
  "POST /recruiting/sms/status",
];

/** The part of an operation in the OpenAPI document that a command is made of. */
interface Operation {
  summary: string;
  security: Record<string, unknown>[];
  requestBody?: { content: Record<string, { examples: Record<string, { value: Record<string, string> }> }> };
}

/**
 * One ready-to-paste request for each route, for a running stack and its seed. The requests are the examples in the
 * OpenAPI document.
 *
 * @param publicUrl the public address of the functions, which Twilio's signature covers
 * @param routes such as `GET /recruiting/health`
 */
export function examples(stack: StackInfo, publicUrl = stack.functions_url, routes = ROUTES): Example[] {
  const vendor = stack.vendors.find(({ parser }) => parser === "generic");
  const keys: Record<string, string> = {
    vendorKey: `Authorization: Bearer ${vendor?.api_key}`,
    importKey: `x-api-key: ${stack.leads_import_api_key}`,
    projectKey: `apikey: ${stack.publishable_key}`,
  };
  // The type of the JSON has another shape for each route.
  const paths = openApi.paths as unknown as Record<string, Record<string, Operation>>;
  return routes.map((route) => {
    const [method, path] = route.split(" ") as [string, string];
    const { summary, security, requestBody } = paths[path]![method.toLowerCase()]!;
    const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
    const [{ value } = { value: {} }] = Object.values(content?.examples ?? {});
    const [scheme] = Object.keys(security[0] ?? {});
    const sign = () => getExpectedTwilioSignature(stack.twilio_auth_token, publicUrl + path, value);
    const json = [`-H 'Content-Type: ${type}'`, `-d '${JSON.stringify(value)}'`];
    const form = Object.entries(value).map(([name, text]) => `--data-urlencode '${name}=${text}'`);
    const command = [
      `curl -sS -X ${method} '${stack.functions_url}${path}'`,
      ...(scheme === undefined ? [] : [`-H '${keys[scheme] ?? `X-Twilio-Signature: ${sign()}`}'`]),
      ...(type === "application/json" ? json : form),
    ].join(" \\\n  ");
    return { route, title: summary, command };
  });
}
