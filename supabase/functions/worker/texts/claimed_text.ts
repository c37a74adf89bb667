/** The state of an outbound text. */
export type TextState =
  | "pending"
  | "sending"
  | "accepted"
  | "unconfirmed"
  | "refused"
  | "failed";

/** An outbound text that one worker has to itself for 60 s. */
export interface ClaimedText {
  message_id: string;
  /** `look_up`: Twilio may have it already. */
  task: "post" | "look_up";
  /** To be given back with what became of it. */
  claim: number;
  /** `greeting`: the first text to a recruit. */
  kind: "agent" | "bot" | "greeting";
  to: string;
  /** The country of the recruit's area code, in two letters; null: the number has none that is known. */
  country: string | null;
  from: string;
  messaging_service_sid: string | null;
  body: string;
  media: TextMedia[];
  /** For how long Twilio may hold it; null: as long as it does by itself. */
  validity_seconds: number | null;
  /** When the last request to Twilio began. */
  attempted_at: string;
}

/** A file of a text: an `https` URL, or `text-media/<path>` in our storage. */
export interface TextMedia {
  url: string;
  content_type: string | null;
}

/** The result of claim_texts(). */
export interface ClaimedTexts {
  texts: ClaimedText[];
  /** When a text that only waits for its number's rate can be claimed; null: none does. */
  next_at: string | null;
}
