/** The state of an outbound text. */
export type TextState =
  | "pending"
  | "sending"
  | "accepted"
  | "unconfirmed"
  | "refused"
  | "failed";

/** An outbound text. No other worker can claim it for 60 s. */
export interface ClaimedText {
  message_id: string;
  /** `look_up`: Twilio may already have the text. */
  task: "post" | "look_up";
  /** Reported with the outcome. */
  claim: number;
  /** `greeting`: the first text to a recruit. */
  kind: "agent" | "bot" | "greeting";
  to: string;
  /** The two-letter country of the recruit's area code; null if the area code is unknown. */
  country: string | null;
  from: string;
  messaging_service_sid: string | null;
  body: string;
  media: TextMedia[];
  /** How many seconds Twilio may hold the text; null for Twilio's default. */
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
  /** When a text that only waits for its number's rate can be claimed; null if there is none. */
  next_at: string | null;
}
