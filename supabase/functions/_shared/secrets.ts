import { createHash, timingSafeEqual } from "node:crypto";
import { isObject, type JsonObject, parseJson } from "./json.ts";
import { logError } from "./log.ts";

/**
 * Returns the values of a comma-separated secret, e.g. `LEADS_IMPORT_API_KEY=new,old`. Several values allow rotation
 * without downtime. A variable that is unset or blank has no values, so nothing matches.
 */
export function secretsFromEnv(name: string): string[] {
  return (Deno.env.get(name) ?? "").split(",").map((value) => value.trim()).filter(Boolean);
}

/**
 * Returns the values of a secret that is a JSON object of named keys, the format of a hosted project's newer API keys.
 * The key named `default` comes first. A variable that is unset, blank or not such an object has no values; the last
 * case is logged.
 */
export function namedSecretsFromEnv(name: string): string[] {
  const text = (Deno.env.get(name) ?? "").trim();
  if (text === "") return [];
  const { default: first, ...others } = parseObject(text) ?? reportMalformed(name);
  return [first, ...Object.values(others)].filter((value) => typeof value === "string")
    .map((value) => value.trim()).filter(Boolean);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function reportMalformed(name: string): JsonObject {
  logError({ event: "malformed_variable", variable: name, expected: "a JSON object of keys" });
  return {};
}

/** Returns the SHA-256 of a text in lower-case hexadecimal, the form in which the database stores a vendor's key. */
export function sha256Hex(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/**
 * Returns whether `given` is one of `secrets`, in constant time: digests of equal length are compared to their end, and
 * every secret is compared.
 */
export function matchesSecret(given: string, secrets: string[]): boolean {
  const digest = sha256(given);
  return secrets.map((secret) => timingSafeEqual(digest, sha256(secret))).includes(true);
}

function sha256(text: string) {
  return createHash("sha256").update(text).digest();
}

/** Returns the token of `Authorization: Bearer <token>`; undefined if the header is missing or has another form. */
export function bearerToken(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}
