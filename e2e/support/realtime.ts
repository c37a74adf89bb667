import assert from "node:assert/strict";
import type { RealtimeChannel, SupabaseClient } from "@supabase/supabase-js";
import { createClient } from "@supabase/supabase-js";
import { createAgentWithLead, type SignedIn } from "./agents.ts";
import { stack } from "./client.ts";
import { type Conversation, createConversation } from "./sms.ts";

/** A channel that supabase-js has joined, or tried to. */
export interface Subscription {
  channel: RealtimeChannel;
  /** The states that supabase-js has told since, the latest last: SUBSCRIBED, CHANNEL_ERROR, CLOSED, … */
  statuses: string[];
  /** The error of the latest status. */
  error?: string;
  /** The payloads of the broadcasts. */
  events: Record<string, unknown>[];
}

/** Joins a topic for one kind of event, and waits for the first response. */
export async function subscribe(
  client: SupabaseClient,
  topic: string,
  config: object = { private: true },
  event = "notification",
): Promise<Subscription> {
  const joined = Promise.withResolvers<void>();
  const channel = client.channel(topic, { config });
  const subscription: Subscription = { channel, statuses: [], events: [] };
  channel.on("broadcast", { event }, ({ payload }) => subscription.events.push(payload));
  channel.subscribe((status, error) => {
    subscription.statuses.push(status);
    subscription.error = error?.message;
    joined.resolve();
  });
  await joined.promise;
  return subscription;
}

/** Waits until a subscription has this status as its latest. */
export function awaitStatus({ statuses }: Subscription, status: string): Promise<void> {
  return until(() => statuses.at(-1) === status, () => `${statuses} and not ${status}`);
}

/** Waits until a subscription has had this number of events, and returns them. */
export async function awaitEvents({ events }: Subscription, count: number) {
  await until(() => events.length >= count, () => `${events.length} of ${count} events`);
  return events;
}

/** Waits until something is true, for ten seconds at most. */
export async function until(isTrue: () => boolean, found: () => string): Promise<void> {
  for (const deadline = Date.now() + 10_000; !isTrue();) {
    assert(Date.now() < deadline, found());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Another tab of a signed-in agent. */
export async function openTab(
  { email, password }: SignedIn,
  realtime: object = {},
): Promise<SupabaseClient> {
  const client = createClient(stack.api_url, stack.publishable_key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime,
  });
  const { error } = await client.auth.signInWithPassword({ email, password });
  assert.equal(error, null);
  return client;
}

/** An agent who has taken over a conversation. */
export interface Escalated extends SignedIn {
  agency_id: string;
  conversation: Conversation;
  topic: string;
}

/** Makes an escalated conversation with a signed-in agent. */
export async function createEscalated(): Promise<Escalated> {
  const agent = await createAgentWithLead();
  const conversation = await createConversation(agent.agency_id, agent.agent_id);
  return { ...agent, conversation, topic: `agent:${agent.agent_id}` };
}

/** A test that closes the connections of its clients at its end. */
export function realtimeTest(
  name: string,
  run: (use: <Client extends SupabaseClient>(client: Client) => Client) => Promise<void>,
): void {
  Deno.test(name, async () => {
    const clients = new Set<SupabaseClient>();
    try {
      await run((client) => {
        clients.add(client);
        return client;
      });
    } finally {
      for (const client of clients) await client.realtime.disconnect();
    }
  });
}
