import type { Consent } from "../data/recruits.ts";
import { Badge, type Meaning } from "./badge.tsx";

const WORDS: Record<Consent, [words: string, meaning: Meaning]> = {
  given: ["May be texted", "good"],
  none: ["No consent: call first", "warn"],
  opted_out: ["Said stop", "bad"],
  suppressed: ["Must not be texted", "bad"],
};

/** Whether a recruit may be texted; nothing where there is no number that gets texts. */
export function ConsentBadge({ consent }: { consent: Consent | null }) {
  if (consent === null) return null;
  const [words, meaning] = WORDS[consent];
  return <Badge meaning={meaning}>{words}</Badge>;
}
