import { call, fileError, repeat, supabase } from "./client.ts";
import { readInboxAgain } from "./inbox.ts";
import { after, usePages } from "./pages.ts";

/** A file of a text. (A type, as the client takes no interface for JSON.) */
export type Media = {
  /** `text-media/<name>` in our storage, or the provider's address. */
  url: string;
  content_type: string;
};

/** A text of a conversation. */
export interface Message {
  id: string;
  sender_type: "recruit" | "bot" | "agent";
  body: string | null;
  media: Media[];
  status: "queued" | "sent" | "delivered" | "failed" | null;
  error_code: string | null;
  created_at: string;
  /** How far it has come before the provider took it; null: it is the recruit's, or older than the outbox. */
  text_outbox: {
    state: "pending" | "sending" | "accepted" | "unconfirmed" | "refused" | "failed";
    /** "infinity": the provider is not asked for it any more. */
    due_at: string;
    reason: string | null;
    client_message_id: string | null;
  } | null;
}

const COLUMNS = "id, sender_type, body, media, status, error_code, created_at, " +
  "text_outbox(state, due_at, reason, client_message_id)";

/** The texts of a conversation, in pages from the latest to the first. */
export function useMessages(conversationId: string) {
  return usePages<Message>(["messages", conversationId], async (limit, last) => {
    const query = supabase.from("recruiting_messages").select(COLUMNS).eq("conversation_id", conversationId);
    return await call(
      after(query, last).limit(limit),
    ) as unknown as Message[];
  });
}

/** Queues a text. Repeated with the same `client_message_id` it is one text. */
export async function sendText(
  text: { conversation_id: string; body: string; client_message_id: string; media: Media[]; take_over: boolean },
): Promise<void> {
  // A refusal says that something has changed, too.
  await call(supabase.rpc("send_text", text)).finally(() => readInboxAgain(text.conversation_id));
}

/** A text that waits is never sent. */
export async function cancelText(message_id: string, conversation_id: string): Promise<void> {
  await repeat(() => supabase.rpc("cancel_text", { message_id })).finally(() => readInboxAgain(conversation_id));
}

/** Sends a text that has failed once more. Not repeated by itself: the first call may have sent it. */
export async function retryText(message_id: string, conversation_id: string): Promise<void> {
  await call(supabase.rpc("retry_text", { message_id })).finally(() => readInboxAgain(conversation_id));
}

const MAX_FILE_BYTES = 5 * 1024 * 1024;

/** What the bucket `text-media` takes, as a phone shows it. */
export const FILE_TYPES = "image/jpeg,image/png,image/gif,application/pdf,text/vcard,video/mp4,audio/mpeg";

/** Uploads a file for a text of this conversation. Throws an error with a sentence for the user. */
export async function uploadFile(conversation_id: string, file: File): Promise<Media> {
  if (!FILE_TYPES.split(",").includes(file.type)) {
    throw new Error("Send a JPEG, PNG or GIF picture, a PDF, a contact, an MP4 video or an MP3 sound.");
  }
  if (file.size > MAX_FILE_BYTES) throw new Error("The file has more than 5 MB. Choose a smaller one.");
  const path = `${conversation_id}/${crypto.randomUUID()}`;
  const { error } = await supabase.storage.from("text-media").upload(path, file, { contentType: file.type });
  if (error !== null) throw fileError(error, "The file was not accepted. Choose another one.");
  return { url: `text-media/${path}`, content_type: file.type };
}

/** Downloads a file that an agent has sent, by a URL that works for a minute. */
export async function downloadFile({ url }: Media): Promise<void> {
  const { data, error } = await supabase.storage.from("text-media")
    .createSignedUrl(url.slice("text-media/".length), 60, { download: true });
  if (error !== null) throw fileError(error, "The file is not there any more.");
  location.assign(data.signedUrl);
}
