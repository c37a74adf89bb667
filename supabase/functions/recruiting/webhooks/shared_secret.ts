/** Schemes whose proof is the secret itself. */
import { Buffer } from "node:buffer";
import { isObject, JSON_BOUNDS, type JsonObject, parseJson } from "../../_shared/json.ts";
import { matchesSecret } from "../../_shared/secrets.ts";
import { KIB } from "../../_shared/units.ts";
import { decodeBase64, headerText } from "./encodings.ts";
import type { Received, Refusal, SecretCheck, WebhookRequest } from "./delivery.ts";

/** Google's leads are a few KiB. A longer body is not parsed, because it may come from a stranger. */
const MAX_GOOGLE_BYTES = 64 * KIB;
const GOOGLE_BOUNDS = { ...JSON_BOUNDS, values: 5_000, keys: 1_000 };

/**
 * The scheme `google_ads`: the form's key is `google_key` in the JSON body. The parsers do not store it.
 */
export function googleKeyCheck(_: JsonObject, { body }: Received): SecretCheck {
  return equalTo(googleKey(body), body);
}

/** Returns why a delivery of the scheme `google_ads` proves nothing. */
export function googleKeyRefusal(_: JsonObject, { body }: WebhookRequest): Refusal {
  return googleKey(body) === null ? "proof_missing" : "differs";
}

/** The scheme `basic`: user and password (RFC 7617) in UTF-8. The secret is `user:password`. */
export function basicCheck(_: JsonObject, { headers, body }: Received): SecretCheck {
  const given = credentials(headers);
  return equalTo(given && Buffer.from(given).toString("utf8"), body);
}

/** Returns why a delivery of the scheme `basic` proves nothing. */
export function basicRefusal(_: JsonObject, { headers }: WebhookRequest): Refusal {
  if (headerText(headers, "authorization") === "") return "proof_missing";
  return credentials(headers) === null ? "proof_malformed" : "differs";
}

/** The scheme `header`: the configured `header` contains the secret, after `prefix` if it is configured. */
export function headerCheck(config: JsonObject, { headers, body }: Received): SecretCheck | null {
  const { header, prefix = "" } = config;
  if (typeof header !== "string" || typeof prefix !== "string") return null;
  const value = headerText(headers, header);
  return equalTo(value.startsWith(prefix) ? value.slice(prefix.length) : null, body);
}

/** Returns why a delivery of the scheme `header` proves nothing. */
export function headerRefusal({ header, prefix = "" }: JsonObject, { headers }: WebhookRequest): Refusal {
  const value = headerText(headers, String(header));
  if (value === "") return "proof_missing";
  return value.startsWith(String(prefix)) ? "differs" : "proof_malformed";
}

/** The scheme `query`: the configured query `parameter` contains the secret, exactly once. */
export function queryCheck(config: JsonObject, { query, body }: Received): SecretCheck | null {
  const { parameter } = config;
  if (typeof parameter !== "string") return null;
  const values = query.getAll(parameter);
  return equalTo(values.length === 1 ? values[0]! : null, body);
}

/** Returns why a delivery of the scheme `query` proves nothing. */
export function queryRefusal({ parameter }: JsonObject, { query }: WebhookRequest): Refusal {
  const values = query.getAll(String(parameter));
  return values.length === 0 ? "proof_missing" : values.length > 1 ? "proof_malformed" : "differs";
}

/** Compares the secret with the given one; null if none was given. */
function equalTo(given: string | null, body: Uint8Array): SecretCheck {
  return (secret) => {
    const isEqual = matchesSecret(given ?? "", [secret]);
    return isEqual && given !== null ? { deliveryId: null, body } : null;
  };
}

/** Returns the decoded credentials after `Basic`; null if the header is missing or has another form. */
function credentials(headers: Headers): Uint8Array | null {
  const [, base64] = /^Basic +(\S+) *$/i.exec(headerText(headers, "authorization")) ?? [];
  return base64 === undefined ? null : decodeBase64(base64);
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
