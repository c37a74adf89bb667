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

/** Those of the specification. The requests are the examples in the OpenAPI document. */
const PATHS = [
  "/recruiting/ingest",
  "/recruiting/ingest/bulk",
  "/api/leads/import",
  "/api/leads/log-presentation-activity",
  "/recruiting/sms/inbound",
  "/recruiting/sms/status",
] as const;

/**
 * One ready-to-paste request for each route, for a running stack and its seed.
 *
 * @param publicUrl the public address of the functions, which Twilio's signature covers
 */
export function examples(stack: StackInfo, publicUrl = stack.functions_url): Example[] {
  const vendor = stack.vendors.find(({ parser }) => parser === "generic");
  const keys: Record<string, string> = {
    vendorKey: `Authorization: Bearer ${vendor?.api_key}`,
    importKey: `x-api-key: ${stack.leads_import_api_key}`,
    projectKey: `apikey: ${stack.publishable_key}`,
  };
  return PATHS.map((path) => {
    const { summary, security, requestBody } = openApi.paths[path].post;
    const [[type, { examples }]] = Object.entries(requestBody.content) as [
      [string, { examples: Record<string, { value: Record<string, string> }> }],
    ];
    const [{ value }] = Object.values(examples) as [{ value: Record<string, string> }];
    const sign = () => getExpectedTwilioSignature(stack.twilio_auth_token, publicUrl + path, value);
    const [scheme] = Object.keys(security[0]!) as [string];
    const lines = type === "application/json"
      ? [`-H 'Content-Type: ${type}'`, `-d '${JSON.stringify(value)}'`]
      : Object.entries(value).map(([name, text]) => `--data-urlencode '${name}=${text}'`);
    const command = [
      `curl -sS -X POST '${stack.functions_url}${path}'`,
      `-H '${keys[scheme] ?? `X-Twilio-Signature: ${sign()}`}'`,
      ...lines,
    ].join(" \\\n  ");
    return { route: `POST ${path}`, title: summary, command };
  });
}
