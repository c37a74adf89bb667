import { Link } from "wouter";
import { Badge } from "./badge.tsx";
import { countOf } from "./count.ts";
import { ago, Time } from "./time.tsx";

/** The time after which the alert texts_held opens, unless its rule has another one. */
const HELD_TOO_LONG = 48 * 3_600_000;

/** How many texts of one of our numbers are not sent, and since when, for operators: it leads to them. */
export function HeldTexts({ phone, waiting, since }: { phone: string; waiting: number; since: string | null }) {
  if (waiting === 0) return "No text waits";
  return (
    <>
      <Link href={`/operator/outbox?of=${encodeURIComponent(phone)}`}>
        {countOf(waiting, "text", "texts")} not sent
      </Link>{" "}
      {since !== null && isHeldTooLong(since)
        ? <Badge meaning="bad">oldest {ago(since)}</Badge>
        : since !== null && ago(since) !== "now" && <small>oldest {ago(since)}</small>}
    </>
  );
}

/** Whether one of our numbers sends its texts. */
export function NumberState({ status, waiting, since }: { status: string; waiting: number; since: string | null }) {
  if (status === "paused") return <Badge meaning="bad">paused</Badge>;
  return since !== null && isHeldTooLong(since)
    ? <Badge meaning="warn">{countOf(waiting, "text", "texts")} held</Badge>
    : <Badge meaning="good">{status}</Badge>;
}

/** How long a text has been held. */
export function HeldSince({ at }: { at: string }) {
  return (
    <span className={isHeldTooLong(at) ? "is-late" : undefined}>
      <Time at={at} isAge />
    </span>
  );
}

export function isHeldTooLong(at: string): boolean {
  return Date.parse(at) < Date.now() - HELD_TOO_LONG;
}
