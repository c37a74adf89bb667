/**
 * The meanings of Twilio's error codes for texts, worded to follow a colon or a comma:
 * https://www.twilio.com/docs/api/errors
 */
export const TWILIO_ERRORS: Record<string, string> = {
  "20429": "too many requests were sent at once",
  "21211": "the number is not valid",
  "21408": "texts to the recruit's country are switched off",
  "21606": "the agency's number can send no texts to the recruit's",
  "21608": "a trial account sends texts to verified numbers only",
  "21610": "the recruit has opted out of texts",
  "21611": "too many texts were waiting at the agency's number",
  "21612": "the recruit's number cannot be reached from the agency's number",
  "21614": "the recruit's number is not a mobile phone",
  "21617": "it is too long",
  "21635": "the recruit's number is a landline",
  "30001": "too many texts were waiting at the provider",
  "30002": "the provider has suspended the account",
  "30003": "the recruit's phone is off or out of reach",
  "30004": "the recruit's phone or carrier blocks it",
  "30005": "the recruit's number is not in use",
  "30006": "the recruit's number is a landline, or its carrier takes no texts",
  "30007": "the carrier has taken it for spam",
  "30008": "the carrier does not say why",
  "30017": "the carrier's network was congested",
  "30022": "the campaign has sent more texts at once than the carrier takes",
  "30023": "the campaign has sent more texts in a day than the carrier takes",
  "30027": "the brand has sent more texts in a day than T-Mobile takes",
  "30032": "the agency's toll-free number is not verified",
  "30034": "the agency's number is not registered with the carriers",
};

/** Returns the `why` of a text in the view `outbox_list`, with the meaning of its error code. */
export function explainWhy({ why, reason }: { why: string; reason: string | null }): string {
  const words = TWILIO_ERRORS[reason ?? ""];
  return words !== undefined && why.endsWith(reason!) ? `${why}, ${words}` : why;
}
