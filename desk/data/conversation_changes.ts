import { useMutation } from "@tanstack/react-query";
import { changeData, changeRow, countChanges, readAgain, readRowsAgain } from "./changes.ts";
import { call, repeat, supabase } from "./client.ts";
import { type Conversation, conversationQueries } from "./conversation.ts";
import { inboxQueries, type InboxRow } from "./inbox.ts";
import { type Media, type Message, messageQueries } from "./messages.ts";
import { isInBell, notificationQueries } from "./notifications.ts";
import { queryClient } from "./queries.ts";

/** Says that the agent has read a conversation up to the text with this `created_at`. */
export function useMarkConversationRead(id: string) {
  return useMutation({
    mutationFn: (up_to: string) => repeat(() => supabase.rpc("read_conversation", { conversation_id: id, up_to })),
    // Not the conversation itself: what fails would be tried again at once, and for ever.
    onMutate: () => changeRow<InboxRow>(inboxQueries.lists(), id, { is_unread: false }),
    onError: (_error, _upTo, rollBack) => rollBack?.(),
    // The notifications about it are read, too.
    onSuccess: () => void (isInBell([id]) && readAgain(notificationQueries.all())),
    onSettled: () => readConversationsAgain([id]),
  });
}

/** Gives a conversation to an agent, who answers from now on instead of the bot. */
export function useAssignConversation(id: string) {
  return useChangeConversation(id, {
    mutationFn: ({ id: agent_id }: { id: string; name: string }) =>
      repeat(() => supabase.rpc("assign_conversation", { conversation_id: id, agent_id })),
    change: (agent) => ({
      status: "escalated",
      has_bot: false,
      assigned_agent_id: agent.id,
      agent_id: agent.id,
      agent: agent.name,
    }),
  });
}

/** Gives up to 200 conversations to an agent, who is notified once. Returns how many have changed hands. */
export async function assignConversations(ids: string[], agent: string): Promise<number> {
  const { given } = await repeat(() => supabase.rpc("assign_conversations", { ids, agent })) as { given: number };
  await queryClient.invalidateQueries({ queryKey: inboxQueries.all() });
  return given;
}

/** Lets the bot answer again. The service decides whether it goes on, so nothing changes before its response. */
export function useHandBack(id: string) {
  return useMutation({
    scope: scopeOf(id),
    mutationFn: () => repeat(() => supabase.rpc("hand_back_to_bot", { conversation_id: id })),
    onSettled: () => readConversationAgain(id),
  });
}

/**
 * The recruit waits no longer, although nobody has answered. Refused where the recruit has written since the time that
 * is given: that of the recruit's latest text that the agent has read.
 */
export function useNeedsNoReply(id: string) {
  return useChangeConversation(id, {
    mutationFn: (read_up_to: string) =>
      repeat(() => supabase.rpc("no_reply_needed", { conversation_id: id, read_up_to })),
    change: () => ({ waiting_since: null, due_since: null, snoozed_until: null, is_due: false }),
  });
}

/** Takes {@link useNeedsNoReply} back. The service knows since when the recruit waits. */
export function useNeedsReply(id: string) {
  return useMutation({
    scope: scopeOf(id),
    mutationFn: () => repeat(() => supabase.rpc("reply_needed", { conversation_id: id })),
    onSettled: () => readConversationAgain(id),
  });
}

/**
 * Puts a conversation off until a time in ISO 8601; null: it is not put off any more. Refused where the recruit has
 * written since `readUpTo`, the time of the latest text that the agent has read.
 */
export function useSnooze({ id, waiting_since }: Conversation, readUpTo: string) {
  return useChangeConversation(id, {
    mutationFn: (until: string | null) =>
      repeat(() => supabase.rpc("snooze_conversation", { id, until: until as string, read_up_to: readUpTo })),
    change: (snoozed_until) => ({
      snoozed_until,
      due_since: waiting_since ?? snoozed_until,
      is_due: snoozed_until === null && waiting_since !== null,
    }),
  });
}

function useChangeConversation<Given = void>(id: string, { mutationFn, change }: {
  mutationFn: (given: Given) => Promise<unknown>;
  change: (given: Given) => Partial<Conversation>;
}) {
  const { queryKey } = conversationQueries.detail(id);
  return useMutation({
    mutationKey: queryKey,
    scope: scopeOf(id),
    mutationFn,
    onMutate: async (given: Given) => {
      const changed = change(given);
      const rollBacks = await Promise.all([
        changeData<Conversation | null>(
          queryKey,
          (row) => row && { ...row, ...changed },
        ),
        changeRow<Conversation>(inboxQueries.lists(), id, changed),
      ]);
      return () => rollBacks.forEach((rollBack) => rollBack());
    },
    onError: (_error, _given, rollBack) => rollBack?.(),
    // Not awaited: until it ends, the change counts as on its way, and what happens meanwhile would not be read.
    onSettled: () => void readConversationAgain(id, 1),
  });
}

/** The scope of the changes of one conversation: they go to the service one after the other. */
function scopeOf(id: string): { id: string } {
  return { id: `conversation:${id}` };
}

/** Reads again what shows a conversation, with its texts, as {@link readConversationsAgain} does. */
async function readConversationAgain(id: string, own = 0): Promise<void> {
  await Promise.all([
    readConversationRowAgain(id, own),
    readAgain(messageQueries.list(id).queryKey),
  ]);
}

/** Reads again what shows a conversation, but for its texts, as {@link readConversationsAgain} does. */
async function readConversationRowAgain(id: string, own = 0): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: inboxQueries.summaries() });
  await readConversationsAgain([id], own);
}

/**
 * Reads conversations again where they are open or in a list. While changes of one are on their way, a read would take
 * them back: the last change reads it.
 *
 * @param own how many of them the caller is
 */
export async function readConversationsAgain(ids: string[], own = 0): Promise<void> {
  const keyOf = (id: string) => conversationQueries.detail(id).queryKey;
  const settled = ids.filter((id) => countChanges(keyOf(id)) <= own);
  await readRowsAgain([inboxQueries.lists(), ...settled.map(keyOf)], settled);
}

/** Queues a text. Repeated with the same `client_message_id` it is one text. */
export async function sendText(
  text: { conversation_id: string; body: string; client_message_id: string; media: Media[]; take_over: boolean },
): Promise<void> {
  // A refusal says that something has changed, too.
  await call(supabase.rpc("send_text", text)).finally(() => readConversationAgain(text.conversation_id));
}

/** Cancels a text that waits: it is never sent. */
export function useCancelText(conversationId: string) {
  return useChangeText(conversationId, {
    mutationFn: ({ id }) => repeat(() => supabase.rpc("cancel_text", { message_id: id })),
    change: ({ text_outbox }) => ({
      status: "failed",
      text_outbox: text_outbox && { ...text_outbox, state: "refused", reason: "cancelled" },
    }),
  });
}

/** Sends a text that has failed once more. Not repeated by itself: the first call may have sent it. */
export function useRetryText(conversationId: string) {
  return useChangeText(conversationId, {
    mutationFn: ({ id }) => call(supabase.rpc("retry_text", { message_id: id })),
    change: ({ text_outbox }) => ({
      status: "queued",
      text_outbox: text_outbox && { ...text_outbox, state: "sending", reason: null },
    }),
  });
}

function useChangeText(conversationId: string, { mutationFn, change }: {
  mutationFn: (text: Message) => Promise<unknown>;
  change: (text: Message) => Partial<Message>;
}) {
  const { queryKey } = messageQueries.list(conversationId);
  return useMutation({
    mutationKey: queryKey,
    mutationFn,
    onMutate: (text: Message) => changeRow<Message>(queryKey, text.id, change(text)),
    onError: (_error, _text, rollBack) => rollBack?.(),
    onSettled: (_data, _error, { id }) => {
      void readRowsAgain([queryKey], [id]);
      void readConversationRowAgain(conversationId);
    },
  });
}
