import { call, fileError, supabase } from "./client.ts";
import { after, pagesOptions } from "./pages.ts";

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
  /** The state before the provider took it; null: it is the recruit's, or older than the outbox. */
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

export const messageQueries = {
  all: () => ["messages"],
  /** The texts of a conversation, in pages from the latest to the first. */
  list: (conversationId: string) =>
    pagesOptions<Message>([...messageQueries.all(), conversationId], async (limit, last, ids) => {
      let query = supabase.from("recruiting_messages").select(COLUMNS).eq("conversation_id", conversationId);
      if (ids !== null) query = query.in("id", ids);
      return await call(after(query, last).limit(limit)) as unknown as Message[];
    }, { order: { column: "created_at", ascending: false } }),
};

const MAX_FILE_BYTES = 5 * 1024 * 1024;

/** The types of files that the bucket `text-media` takes, and a phone shows. */
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
