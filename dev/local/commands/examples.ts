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

/** The part of an operation in the OpenAPI document that a command is made of. */
interface Operation {
  summary: string;
  security: Record<string, unknown>[];
  requestBody?: { content: Record<string, Content> };
}

interface Content {
  examples: Record<string, { value: Record<string, string> }>;
}

/**
 * One ready-to-paste request for each route that takes a key of the stack or Twilio's signature, for a running stack and
 * its seed. The requests are the examples in the OpenAPI document.
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
  // The type of the JSON has another shape for each route.
  const paths = openApi.paths as unknown as Record<string, { post?: Operation }>;
  return Object.entries(paths).flatMap(([path, { post }]) => {
    const scheme = Object.keys(post?.security[0] ?? {})[0] ?? "";
    if (!post?.requestBody || !(scheme in keys || scheme === "twilioSignature")) return [];
    const [[type, content]] = Object.entries(post.requestBody.content) as [[string, Content]];
    const [{ value }] = Object.values(content.examples) as [{ value: Record<string, string> }];
    const sign = () => getExpectedTwilioSignature(stack.twilio_auth_token, publicUrl + path, value);
    const json = [`-H 'Content-Type: ${type}'`, `-d '${JSON.stringify(value)}'`];
    const form = Object.entries(value).map(([name, text]) => `--data-urlencode '${name}=${text}'`);
    const command = [
      `curl -sS -X POST '${stack.functions_url}${path}'`,
      `-H '${keys[scheme] ?? `X-Twilio-Signature: ${sign()}`}'`,
      ...(type === "application/json" ? json : form),
    ].join(" \\\n  ");
    return [{ route: `POST ${path}`, title: post.summary, command }];
  });
}
