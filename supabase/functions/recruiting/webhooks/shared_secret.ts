/** Schemes whose proof is the secret itself. */
import { Buffer } from "node:buffer";
import { isObject, JSON_BOUNDS, type JsonObject, parseJson } from "../../_shared/json.ts";
import { matchesSecret } from "../../_shared/secrets.ts";
import { KIB } from "../../_shared/units.ts";
import { decodeBase64, headerText } from "./encodings.ts";
import type { Received, SecretCheck } from "./delivery.ts";

/** Google's leads are a few KiB. A longer body is not parsed, because it may be a stranger's. */
const MAX_GOOGLE_BYTES = 64 * KIB;
const GOOGLE_BOUNDS = { ...JSON_BOUNDS, values: 5_000, keys: 1_000 };

/**
 * The scheme `google_ads`: the form's key stands as `google_key` in the JSON body. The parsers keep it out of the lead.
 */
export function googleKeyCheck(_: JsonObject, { body }: Received): SecretCheck {
  return equalTo(googleKey(body), body);
}

/** The scheme `basic`: user and password (RFC 7617) in UTF-8. The secret is `user:password`. */
export function basicCheck(_: JsonObject, { headers, body }: Received): SecretCheck {
  const [, base64] = /^Basic +(\S+) *$/i.exec(headerText(headers, "authorization")) ?? [];
  const credentials = base64 === undefined ? null : decodeBase64(base64);
  return equalTo(credentials && Buffer.from(credentials).toString("utf8"), body);
}

/** The scheme `header`: `header` has the secret, after `prefix` where one is configured. */
export function headerCheck(config: JsonObject, { headers, body }: Received): SecretCheck | null {
  const { header, prefix = "" } = config;
  if (typeof header !== "string" || typeof prefix !== "string") return null;
  const value = headerText(headers, header);
  return equalTo(value.startsWith(prefix) ? value.slice(prefix.length) : null, body);
}

/** The scheme `query`: the query's `parameter` has the secret, once. */
export function queryCheck(config: JsonObject, { query, body }: Received): SecretCheck | null {
  const { parameter } = config;
  if (typeof parameter !== "string") return null;
  const values = query.getAll(parameter);
  return equalTo(values.length === 1 ? values[0]! : null, body);
}

/** Whether the secret is the one that was given; null: none was. */
function equalTo(given: string | null, body: Uint8Array): SecretCheck {
  return (secret) => {
    const isEqual = matchesSecret(given ?? "", [secret]);
    return isEqual && given !== null ? { deliveryId: null, body } : null;
  };
}

function googleKey(body: Uint8Array): string | null {
  if (body.length > MAX_GOOGLE_BYTES) return null;
  try {
    const payload = parseJson(new TextDecoder().decode(body), GOOGLE_BOUNDS);
    const key = isObject(payload) ? payload.google_key : null;
    return typeof key === "string" ? key : null;
  } catch {
    return null;
  }
}
