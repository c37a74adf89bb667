import assert from "node:assert/strict";
import { signInNewAgent } from "../support/agents.ts";
import { type ApiResponse, createAgency, send, sql, stack } from "../support/client.ts";
import { eventually } from "../support/processes.ts";
import { newPhone } from "../support/sms.ts";
import { TwilioDouble } from "../../dev/testing/twilio/double.ts";

/** The double that the stack sends to. */
export const double = await TwilioDouble.start();
Deno.test.afterAll(() => double.stop());

/** One of an agency's numbers, fast enough that no test waits for its rate. */
export interface Sender {
  agency_id: string;
  phone: string;
}

/** A conversation whose recruit has just written, so that quiet hours do not hold an agent's texts. */
export interface Conversation extends Sender {
  id: string;
  recruit: string;
}

/** Makes an agency with a number. */
export async function createSender(segments_per_second = 10_000): Promise<Sender> {
  const { id: agency_id } = await createAgency();
  const phone = newPhone();
  await sql`
    insert into public.service_numbers (phone, agency_id, segments_per_second)
    values (${phone}, ${agency_id}, ${segments_per_second})`;
  return { agency_id, phone };
}

/** Makes a conversation, by default of a new agency. */
export async function createConversation(
  sender?: Sender,
  recruit = newPhone(),
): Promise<Conversation> {
  const { agency_id, phone } = sender ?? await createSender();
  const [row] = await sql`
    insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone, last_message_at)
    values (${agency_id}, ${recruit}, ${phone}, now()) returning id`;
  return { id: row!.id, recruit, agency_id, phone };
}

/** Makes a conversation with its agent, who is signed in. */
export async function createAgentsConversation() {
  const conversation = await createConversation();
  const agent = await signInNewAgent(conversation.agency_id);
  await sql`
    update public.recruiting_conversations
    set status = 'escalated', assigned_agent_id = ${agent.agent_id} where id = ${conversation.id}`;
  return { ...conversation, agent };
}

/** Puts a text of an agent into the outbox, and returns its message_id. */
export async function queueText(
  { id }: Conversation,
  body: string,
  { kind = "agent", media = [] }: {
    kind?: "agent" | "bot" | "greeting";
    media?: { url: string; content_type: string }[];
  } = {},
): Promise<string> {
  const [row] = await sql`
    select message_id
    from private.queue_text(${id}, ${kind}, ${body}, ${sql.json(media)}, gen_random_uuid())`;
  return row!.message_id;
}

/** A row of the outbox with its message. */
export async function outboxText(message_id: string) {
  const [row] = await sql`
    select o.*, m.provider_message_id, m.status, m.error_code, m.delivered_at
    from public.text_outbox o join public.recruiting_messages m on m.id = o.message_id
    where o.message_id = ${message_id}`;
  return row!;
}

/** Asks the worker to send what is due, and returns its response. */
export function requestWork(key = stack.worker_key): Promise<ApiResponse> {
  return send("/worker/run", { headers: { authorization: `Bearer ${key}` } });
}

/** Asks the worker to send what is due, and returns its counts. */
export async function work(): Promise<Record<string, number>> {
  const { status, body } = await requestWork();
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/**
 * Lets the time pass for which a text waits: its next look-up, its next attempt, or the lease of a worker that has
 * died.
 */
export async function passTime(message_ids: string[]): Promise<void> {
  await sql`
    update public.text_outbox
    set due_at = case when due_at = 'infinity' then due_at else least(due_at, now()) end,
      attempted_at = attempted_at - interval '20 minutes',
      lease_until = least(lease_until, now())
    where message_id in ${sql(message_ids)} and state in ('pending', 'sending', 'unconfirmed')`;
}

/**
 * Lets workers send, and time pass, until none of these texts waits any more.
 *
 * @param run lets the workers send what is due
 */
export async function settle(
  message_ids: string[],
  run: () => Promise<unknown> = work,
): Promise<void> {
  for (let turn = 0; turn < 10; turn++) {
    await run();
    const [open] = await sql`
      select count(*)::integer from public.text_outbox
      where message_id in ${sql(message_ids)} and state in ('pending', 'sending', 'unconfirmed')`;
    if (open!.count === 0) return;
    await passTime(message_ids);
  }
  throw new Error("texts are still waiting");
}

/** Waits until a text is in this state, and returns its row. */
export function awaitState(message_id: string, state: string) {
  return eventually(10, async () => {
    const text = await outboxText(message_id);
    assert.equal(text.state, state);
    return text;
  });
}

/** The bodies of the messages that were accepted for a recruit, oldest first. */
export function sentBodies({ recruit }: Conversation): string[] {
  return double.sentTo(recruit).map(({ body }) => body);
}

/** Waits until a text's message has this status. */
export async function awaitStatus(message_id: string, status: string): Promise<void> {
  await eventually(10, async () => assert.equal((await outboxText(message_id)).status, status));
}
