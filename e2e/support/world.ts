import { createLead } from "./agents.ts";
import { createOrder, createVendor, sql, type Vendor } from "./client.ts";
import { newPhone, newSid } from "./sms.ts";

/** The rows that the scenarios need: one of everything, used by no other test. */
export interface World {
  vendor: Vendor;
  vendorWithoutParser: Vendor;
  agency_id: string;
  agent_id: string;
  /** A sales lead of the agent. */
  lead_id: string;
  /** A conversation in each status, by the recruit's phone. */
  phones: { bot: string; escalated: string; service: string };
  /** MessageSid of an outbound message. */
  sent: string;
}

let world: Promise<World> | undefined;

/** The world. It is made when it is first used. */
export function theWorld(): Promise<World> {
  return world ??= makeWorld();
}

async function makeWorld(): Promise<World> {
  const [vendor, vendorWithoutParser] = [await createVendor(), await createVendor(null)];
  const { agency_id, agent_ids } = await createOrder(vendor);
  const agent_id = agent_ids[0]!;
  const lead_id = await createLead(agency_id, agent_id);
  const phones = { bot: newPhone(), escalated: newPhone(), service: newPhone() };
  const conversations = await sql`
    insert into public.recruiting_conversations
      (agency_id, recruit_phone, service_phone, status, assigned_agent_id)
    values (${agency_id}, ${phones.bot}, ${phones.service}, 'bot', null),
           (${agency_id}, ${phones.escalated}, ${phones.service}, 'escalated', ${agent_id})
    returning id`;
  const sent = newSid();
  await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id, body)
    values (${conversations[0]!.id}, 'outbound', 'bot', ${sent}, 'Hello')`;
  return { vendor, vendorWithoutParser, agency_id, agent_id, lead_id, phones, sent };
}
