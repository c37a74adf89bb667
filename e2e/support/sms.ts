import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { type ApiResponse, createAgency, send, sql, stack } from "./client.ts";

/** A conversation that no other test uses. */
export interface Conversation {
  id: string;
  recruit: string;
  service: string;
}

/** Makes a conversation of an agency: with an agent it is escalated, without one its status is `bot`. */
export async function createConversation(
  agency_id?: string,
  agent_id: string | null = null,
): Promise<Conversation> {
  const [recruit, service] = [newPhone(), newPhone()];
  const [row] = await sql`
    insert into public.recruiting_conversations
      (agency_id, recruit_phone, service_phone, status, assigned_agent_id)
    values (${agency_id ?? (await createAgency()).id}, ${recruit}, ${service},
      ${agent_id === null ? "bot" : "escalated"}, ${agent_id})
    returning id`;
  return { id: row!.id, recruit, service };
}

/** Sends a message of the conversation's recruit. A parameter that is undefined is left out. */
export function receive(
  { recruit, service }: Conversation,
  fields: Record<string, string | string[] | undefined> = {},
): Promise<ApiResponse> {
  const all = { From: recruit, To: service, Body: "Hi", MessageSid: newSid(), ...fields };
  const parameters = Object.entries(all).filter(([, value]) => value !== undefined);
  return sendSigned("/recruiting/sms/inbound", Object.fromEntries(parameters) as Parameters);
}

/** Sends a delivery callback. */
export function report(
  MessageSid: string,
  MessageStatus: string,
  more: Parameters = {},
  headers: Record<string, string> = {},
) {
  return sendSigned("/recruiting/sms/status", { MessageSid, MessageStatus, ...more }, headers);
}

/** Stores an outbound message with the MessageSid that Twilio has given it. */
export async function storeOutbound({ id }: Conversation, sid: string): Promise<void> {
  await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id, body)
    values (${id}, 'outbound', 'bot', ${sid}, 'Hello')`;
}

/** A conversation's messages, oldest first. */
export function messages({ id }: Conversation) {
  return sql`
    select * from public.recruiting_messages where conversation_id = ${id} order by created_at, id`;
}

/** A US number in E.164 that nothing else uses. */
export function newPhone(): string {
  return `+1312${String(Math.floor(Math.random() * 9_000_000) + 1_000_000)}`;
}

/** A MessageSid that nothing else uses. */
export function newSid(): string {
  return `SM${crypto.randomUUID().replaceAll("-", "")}`;
}

/** The parameters of a form. A list is a repeated parameter. */
export type Parameters = Record<string, string | string[]>;

/** A form as Twilio sends it, signed for the stack's public URL. */
export function signedForm(
  path: string,
  parameters: Parameters,
): { headers: Record<string, string>; body: URLSearchParams } {
  const signature = getExpectedTwilioSignature(stack.twilio_auth_token, stack.functions_url + path, parameters);
  const pairs = Object.entries(parameters)
    .flatMap(([name, value]) => [value].flat().map((item) => [name, item]));
  return { headers: { "x-twilio-signature": signature }, body: new URLSearchParams(pairs) };
}

/** Sends a form as Twilio does. */
export function sendSigned(
  path: string,
  parameters: Parameters,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  const signed = signedForm(path, parameters);
  return send(path, { ...signed, headers: { ...signed.headers, ...headers } });
}
