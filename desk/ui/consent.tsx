import type { Consent } from "../data/recruits.ts";
import { Badge, type Meaning } from "./badge.tsx";

const WORDS: Record<Consent, [words: string, meaning: Meaning, why: string]> = {
  given: ["May be texted", "good", "The recruit has agreed to texts from your agency."],
  none: ["Call first", "warn", "The recruit has not agreed to texts yet."],
  opted_out: ["Opted out", "bad", "The recruit has opted out of texts from your agency."],
  suppressed: ["Do not text", "bad", "Nobody may text this person."],
};

/** Whether a recruit may be texted; nothing where there is no number that gets texts. */
export function ConsentBadge({ consent }: { consent: Consent | null }) {
  if (consent === null) return null;
  const [words, meaning, why] = WORDS[consent];
  return <Badge meaning={meaning} title={why}>{words}</Badge>;
}
