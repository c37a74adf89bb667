import { agentQueries } from "./agents.ts";
import { call, fileError, supabase } from "./client.ts";
import { after, pagesOptions } from "./pages.ts";
import { queryClient } from "./queries.ts";

/** A file of a text. (A type, as the client takes no interface for JSON.) */
export type Media = {
  /** `text-media/<name>` in our storage, or the provider's address. */
  url: string;
  content_type: string;
};

/** How far the copy of a recruit's file has come. */
export type MediaCopy =
  & { position: number }
  & (
    | { state: "waiting" }
    | { state: "copied"; path: string; content_type: string }
    | { state: "failed"; reason: string }
  );

/** A text of a conversation. */
export interface Message {
  id: string;
  sender_type: "recruit" | "bot" | "agent";
  /** The agent who wrote it; null of the bot's and the recruit's, and of texts of before this was kept. */
  sent_by: string | null;
  author: { first_name: string; last_name: string | null } | null;
  body: string | null;
  media: Media[];
  /** Those of a recruit's files; none of files that came while the service copied none. */
  media_copies: MediaCopy[];
  /** How the bot read a recruit's text; null: it did not. */
  heard: string | null;
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

const COLUMNS = "id, sender_type, sent_by, body, media, heard, status, error_code, created_at, " +
  "text_outbox(state, due_at, reason, client_message_id), media_copies(position, state, path, content_type, reason)";

export const messageQueries = {
  all: () => ["messages"],
  /** The texts of a conversation, in pages from the latest to the first. */
  list: (conversationId: string) =>
    pagesOptions<Message>([...messageQueries.all(), conversationId], async (limit, last, ids) => {
      let query = supabase.from("recruiting_messages").select(COLUMNS).eq("conversation_id", conversationId);
      if (ids !== null) query = query.in("id", ids);
      return await withAuthors(await call(after(query, last).limit(limit)) as unknown as Message[]);
    }, { order: { column: "created_at", ascending: false } }),
};

/** The same texts with the names of the agents who wrote them. */
async function withAuthors(texts: Message[]): Promise<Message[]> {
  const ids = [...new Set(texts.flatMap(({ sent_by }) => sent_by ?? []))].toSorted();
  if (ids.length === 0) return texts.map((text) => ({ ...text, author: null }));
  const authors = await queryClient.fetchQuery(agentQueries.names(ids));
  return texts.map((text) => ({ ...text, author: authors.find(({ id }) => id === text.sent_by) ?? null }));
}

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
  const { error } = await (await supabase.files("text-media")).upload(path, file, { contentType: file.type });
  if (error !== null) throw fileError(error, "The file was not accepted. Choose another one.");
  return { url: `text-media/${path}`, content_type: file.type };
}

/** Reads a picture of a text. Throws an error with a sentence for the user. */
export async function readPicture(path: string): Promise<Blob> {
  const response = await fetch(await signedUrl(path)).catch(() => null);
  if (!response?.ok) throw fileError({ status: response?.status }, "The file is not there any more.");
  return await response.blob();
}

/** A URL of a file of a text that works for a minute. Throws an error with a sentence for the user. */
async function signedUrl(path: string, options?: { download: boolean }): Promise<string> {
  const { data, error } = await (await supabase.files("text-media")).createSignedUrl(path, 60, options);
  if (error !== null) throw fileError(error, "The file is not there any more.");
  return data.signedUrl;
}

/** Downloads a file of a text. */
export async function downloadFile(path: string): Promise<void> {
  location.assign(await signedUrl(path, { download: true }));
}
