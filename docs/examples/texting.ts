import { repeat } from "./repeating.ts";
import { supabase } from "./supabase.ts";

/** A file of a text. */
export type Media = { url: string; content_type: string };

/** The arguments of send_text. */
export type Text = {
  conversation_id: string;
  /** Its `length` is at most 1,600; may be empty when there is media. */
  body: string;
  /** A `crypto.randomUUID()` made once for each text; a repeat has the same. */
  client_message_id: string;
  /** At most ten files. */
  media?: Media[];
};

/** Its result. */
export type QueuedText = {
  message_id: string;
  /** `duplicate`: this client_message_id was queued before; the other values are those of the first time. */
  status: "queued" | "held" | "duplicate";
  /** Not sent before. */
  due_at: string;
  /** How many texts the provider counts it as. */
  segments: number;
};

/**
 * Queues a text. Sends it again when the network or the service fails. That is safe: the client_message_id makes sure
 * that the recruit gets it once, even when it was the response that was lost.
 *
 * @throws {PostgrestError} when the text is refused, or fails for the fourth time
 */
export async function sendText(text: Text): Promise<QueuedText> {
  return await repeat(() => supabase.rpc("send_text", text)) as QueuedText;
}

/** Uploads a file for a text of this conversation: a picture, a PDF, a contact, a video or a sound of up to 5 MiB. */
export async function uploadFile(conversation_id: string, file: File): Promise<Media> {
  const path = `${conversation_id}/${crypto.randomUUID()}`;
  const { error } = await supabase.storage.from("text-media")
    .upload(path, file, { contentType: file.type });
  if (error !== null) throw error;
  return { url: `text-media/${path}`, content_type: file.type };
}

/** The latest fifty messages of a conversation, the newest first. */
export function readMessages(conversation_id: string) {
  return repeat(() =>
    supabase.from("recruiting_messages")
      .select(
        "id, direction, sender_type, body, media, status, error_code, created_at, text_outbox(state, due_at, reason)",
      )
      .eq("conversation_id", conversation_id)
      .order("created_at", { ascending: false })
      .range(0, 49)
  );
}

export type Message = Awaited<ReturnType<typeof readMessages>>[number];

/** How far a text of ours has come, in words for the agent. */
export function progressOf({ status, error_code, text_outbox: waiting }: Message): string {
  if (status === "failed") return `not sent: ${waiting?.reason ?? error_code}`;
  if (waiting?.state === "pending" && waiting.reason === "quiet_hours") {
    return `is sent at ${new Date(waiting.due_at).toLocaleString()}`;
  }
  if (waiting?.state === "pending" && waiting.reason === "number_paused") {
    return "is sent when the agency's number works again";
  }
  if (waiting !== null && waiting.state !== "accepted") return "is being sent";
  return status ?? "";
}

/**
 * Begins the conversation with a recruit, or finds it. Nothing is sent.
 *
 * @returns the conversation's id
 */
export async function startConversation(recruiting_lead_id: string): Promise<string> {
  const started = await repeat(() => supabase.rpc("start_conversation", { recruiting_lead_id }));
  return (started as { conversation_id: string }).conversation_id;
}

/** Lets the bot respond to the recruit again. The next text of an agent takes the conversation back. */
export async function handBackToBot(conversation_id: string): Promise<void> {
  await repeat(() => supabase.rpc("hand_back_to_bot", { conversation_id }));
}
