import { Link } from "wouter";
import type { ServiceNumber } from "../data/operator_rows.ts";
import { Badge } from "./badge.tsx";
import { countOf } from "./count.ts";
import { labelOf } from "./json_value.tsx";
import { ago, Time } from "./time.tsx";

/** The time after which the alert texts_held opens, unless its rule has another one. */
const HELD_TOO_LONG = 48 * 3_600_000;

/** Whether a number sends its texts. */
export function NumberStatus({ status }: Pick<ServiceNumber, "status">) {
  return <Badge meaning={status === "paused" ? "bad" : "good"}>{labelOf(status)}</Badge>;
}

/** How many texts a number holds and since when, for operators with a link. */
export function HeldTexts({ of: { phone, waiting, waiting_since: since }, isOperator }: {
  of: Pick<ServiceNumber, "phone" | "waiting" | "waiting_since">;
  isOperator: boolean;
}) {
  const words = `${countOf(waiting, "text", "texts")} not sent`;
  return waiting > 0 && (
    <>
      {isOperator ? <Link href={`/operator/outbox?of=${encodeURIComponent(phone)}`}>{words}</Link> : words}
      {since !== null && ago(since) !== "now" && (
        <span>
          oldest <HeldSince at={since} />
        </span>
      )}
    </>
  );
}

/** How long a text has been held. */
export function HeldSince({ at }: { at: string }) {
  const age = <Time at={at} isAge />;
  return isHeldTooLong(at) ? <Badge meaning="bad">{age}</Badge> : age;
}

export function isHeldTooLong(at: string | null): boolean {
  return at !== null && Date.parse(at) < Date.now() - HELD_TOO_LONG;
}
