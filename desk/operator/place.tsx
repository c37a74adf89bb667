import { Badge, type Meaning } from "../ui/badge.tsx";
import { distributionText } from "./lead_words.ts";

const MEANINGS: Record<string, Meaning> = { unmatched: "warn", pending: "warn", repeat: "warn", suppressed: "bad" };

/** Who has a recruiting lead, or why nobody has: the word for that in a badge. */
export function Place(
  { agency, agent, distribution }: { agency: string | null; agent: string | null; distribution: string },
) {
  if (agency !== null) return `To ${agent ?? "no agent"}, ${agency}`;
  const [word, why] = distributionText(distribution).split(": ");
  return (
    <>
      <Badge meaning={MEANINGS[distribution]}>{word}</Badge> {why}
    </>
  );
}
