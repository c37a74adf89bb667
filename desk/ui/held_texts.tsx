import { Link } from "wouter";
import { countText } from "./count.ts";
import { ago } from "./time.tsx";

/** How many texts of one of our numbers are not sent, and since when, for operators: it leads to them. */
export function HeldTexts({ phone, waiting, since }: { phone: string; waiting: number; since: string | null }) {
  if (waiting === 0) return "No text waits";
  const age = since === null ? "now" : ago(since);
  return (
    <Link href={`/operator/outbox?of=${encodeURIComponent(phone)}`}>
      {countText(waiting)} {waiting === 1 ? "text" : "texts"} not sent{age !== "now" && `, oldest ${age}`}
    </Link>
  );
}
