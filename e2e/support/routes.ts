/** The routes that take a body, for what holds of each of them. */
import { createVendor, sql, stack, storedLeads, withKey } from "./client.ts";
import { createActivity, createTarget, lead, storedLeads as importedLeads } from "./leads.ts";
import { createConversation, messages, newSid } from "./sms.ts";
import { createWebhook, proofOf } from "./webhooks.ts";

export const JSON_TYPE = { "content-type": "application/json" };
export const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

/** A route with headers that let a body be read, and how much a test has stored by it. */
export interface Route {
  path: string;
  headers: Record<string, string>;
  /** A valid body. */
  body: string;
  /** The largest body, in KiB. */
  limit: number;
  stored(): Promise<number>;
}

/**
 * Every route that takes a body, each for a vendor, an agency or a conversation of its own: ingest, bulk, import, log,
 * a webhook, and the two of Twilio, whose signature is not a valid one.
 */
export async function routes(): Promise<[Route, Route, Route, Route, Route, Route, Route]> {
  const [single, bulk] = [await createVendor(), await createVendor()];
  const webhook = await createWebhook();
  const [target, activity] = [await createTarget(), await createActivity()];
  const [conversation, sid] = [await createConversation(), newSid()];
  const count = async (rows: Promise<ArrayLike<unknown>>) => (await rows).length;
  const signed = { "x-twilio-signature": "not checked yet", ...FORM_TYPE };
  const numbers = { From: conversation.recruit, To: conversation.service };
  return [
    {
      path: "/recruiting/ingest",
      headers: { ...withKey(single), ...JSON_TYPE },
      body: '{"first_name":"Ann"}',
      limit: 15 * 1024,
      stored: () => count(storedLeads(single)),
    },
    {
      path: "/recruiting/ingest/bulk",
      headers: { ...withKey(bulk), ...JSON_TYPE },
      body: '{"leads":[{"first_name":"Ann"}]}',
      limit: 10 * 1024,
      stored: () => count(storedLeads(bulk)),
    },
    {
      path: "/api/leads/import",
      headers: { "x-api-key": stack.leads_import_api_key, ...JSON_TYPE },
      body: JSON.stringify({ ...target, leads: [lead()] }),
      limit: 10 * 1024,
      stored: async () => (await importedLeads(target)).size,
    },
    {
      path: "/api/leads/log-presentation-activity",
      headers: { apikey: stack.anon_key, ...JSON_TYPE },
      body: JSON.stringify(activity),
      limit: 64,
      stored: () => count(sql`select from public.lead_activities where lead_id = ${activity.lead_id}`),
    },
    {
      ...proofOf(webhook, ""),
      body: '{"first_name":"Ann"}',
      limit: 15 * 1024,
      stored: () => count(storedLeads(webhook)),
    },
    {
      path: "/recruiting/sms/inbound",
      headers: signed,
      body: new URLSearchParams(numbers).toString(),
      limit: 64,
      stored: () => count(messages(conversation)),
    },
    {
      path: "/recruiting/sms/status",
      headers: signed,
      body: `MessageSid=${sid}&MessageStatus=sent`,
      limit: 64,
      stored: () => count(sql`select from public.recruiting_message_events where provider_message_id = ${sid}`),
    },
  ];
}
