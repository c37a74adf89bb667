import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import type { StackInfo } from "../stack_info.ts";

/** A request that works as pasted, however often. */
export interface Example {
  route: string;
  title: string;
  /** A shell command with the addresses and keys of the stack. */
  command: string;
}

/** Rows of supabase/seed.sql. */
const SEED = {
  agency_id: "a0000001-0000-4000-8000-000000000001",
  agent_id: "b0000002-0000-4000-8000-000000000002",
  lead_id: "10000001-0000-4000-8000-000000000001",
  recruit_phone: "+13125550121",
  service_phone: "+13125550100",
  sent_message_sid: "SM00000000000000000000000000000001",
};

/**
 * One ready-to-paste request for each route, for a running stack and its seed.
 *
 * @param publicUrl the public address of the functions, which Twilio's signature covers
 */
export function examples(stack: StackInfo, publicUrl = stack.functions_url): Example[] {
  const vendor = stack.vendors.find(({ parser }) => parser === "generic");
  const vendorKey = { Authorization: `Bearer ${vendor?.api_key}` };
  return [
    {
      route: "POST /recruiting/ingest",
      title: "A vendor posts a recruit",
      command: json(stack, "/recruiting/ingest", vendorKey, {
        first_name: "Ada",
        last_name: "Lovelace",
        phone: "+12025550143",
        state: "TX",
      }),
    },
    {
      route: "POST /recruiting/ingest/bulk",
      title: "A vendor posts several recruits",
      command: json(stack, "/recruiting/ingest/bulk", vendorKey, {
        leads: [{ first_name: "Grace", phone: "+12025550144" }, { full_name: "Katherine Johnson" }],
      }),
    },
    {
      route: "POST /api/leads/import",
      title: "A lead vendor imports a sales lead",
      command: json(stack, "/api/leads/import", { "x-api-key": stack.leads_import_api_key }, {
        agency_id: SEED.agency_id,
        agent_id: SEED.agent_id,
        leads: [{
          external_id: "20000000-0000-4000-8000-0000000000aa",
          first_name: "Walt",
          phone: "312-555-0177",
          state: "IL",
          type: "fe",
        }],
      }),
    },
    {
      route: "POST /api/leads/log-presentation-activity",
      title: "The pop-out logs that a presentation has started",
      command: json(stack, "/api/leads/log-presentation-activity", {
        apikey: stack.publishable_key,
      }, {
        lead_id: SEED.lead_id,
        agent_id: SEED.agent_id,
        type: "presentation_started",
      }),
    },
    {
      route: "POST /recruiting/sms/inbound",
      title: "Twilio delivers a recruit's text message",
      command: signedForm(stack, publicUrl, "/recruiting/sms/inbound", {
        From: SEED.recruit_phone,
        To: SEED.service_phone,
        Body: "Yes, call me",
        MessageSid: "SM000000000000000000000000000000aa",
      }),
    },
    {
      route: "POST /recruiting/sms/status",
      title: "Twilio reports that a message was delivered",
      command: signedForm(stack, publicUrl, "/recruiting/sms/status", {
        MessageSid: SEED.sent_message_sid,
        MessageStatus: "delivered",
      }),
    },
  ];
}

function json(
  stack: StackInfo,
  path: string,
  headers: Record<string, string>,
  body: object,
): string {
  return curl(stack, path, { ...headers, "Content-Type": "application/json" }, [
    `-d '${JSON.stringify(body)}'`,
  ]);
}

function signedForm(
  stack: StackInfo,
  publicUrl: string,
  path: string,
  parameters: Record<string, string>,
): string {
  const url = publicUrl + path;
  const signature = getExpectedTwilioSignature(stack.twilio_auth_token, url, parameters);
  return curl(
    stack,
    path,
    { "X-Twilio-Signature": signature },
    Object.entries(parameters).map(([name, value]) => `--data-urlencode '${name}=${value}'`),
  );
}

function curl(
  stack: StackInfo,
  path: string,
  headers: Record<string, string>,
  data: string[],
): string {
  return [
    `curl -sS -X POST '${stack.functions_url}${path}'`,
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...data,
  ].join(" \\\n  ");
}
