import { isObject } from "../../../../supabase/functions/_shared/json.ts";

/** A message of the Phoenix protocol, which Realtime speaks. */
export interface Frame {
  /** The `ref` of the join that the message belongs to; null outside a channel. */
  join_ref: string | null;
  /** Counted by the client; the response has the same. */
  ref: string | null;
  topic: string;
  event: string;
  payload: Record<string, unknown>;
}

/** The ways to write a message, by the value of `?vsn=`: an object, or an array of the same five values. */
export const VERSIONS = ["1.0.0", "2.0.0"] as const;
export type Version = typeof VERSIONS[number];

/** Reads a message as supabase-js writes it, or returns null. */
export function readFrame(version: Version, text: string): Frame | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (version === "2.0.0") {
    if (!Array.isArray(value) || value.length !== 5) return null;
    const [join_ref, ref, topic, event, payload] = value;
    value = { join_ref, ref, topic, event, payload };
  }
  if (!isObject(value)) return null;
  const { join_ref = null, ref = null, topic, event, payload = {} } = value;
  if (!isRef(join_ref) || !isRef(ref)) return null;
  if (typeof topic !== "string" || typeof event !== "string" || !isObject(payload)) return null;
  return { join_ref, ref, topic, event, payload };
}

/** Writes a message as supabase-js reads it. */
export function writeFrame(version: Version, frame: Frame): string {
  const { join_ref, ref, topic, event, payload } = frame;
  return JSON.stringify(version === "2.0.0" ? [join_ref, ref, topic, event, payload] : frame);
}

function isRef(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
