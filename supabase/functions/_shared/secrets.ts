import { createHash, timingSafeEqual } from "node:crypto";

/**
 * The values of a comma-separated secret, e.g. `LEADS_IMPORT_API_KEY=new,old`: several allow rotation without a gap.
 * Unset or blank gives none, so that nothing matches.
 */
export function secretsFromEnv(name: string): string[] {
  return (Deno.env.get(name) ?? "").split(",").map((value) => value.trim()).filter(Boolean);
}

/** The values of a secret that is a JSON object of named ones, as hosted projects hand over their newer API keys. */
export function namedSecretsFromEnv(name: string): string[] {
  return Object.values<string>(JSON.parse(Deno.env.get(name) || "{}"));
}

/** The lower-case hex SHA-256 of a text: how the database knows a vendor's key. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Whether `given` is one of `secrets`, in a time that tells nothing about them: digests, which are of one length, are
 * compared to their end, and all of them.
 */
export function matchesSecret(given: string, secrets: string[]): boolean {
  const digest = sha256(given);
  return secrets.map((secret) => timingSafeEqual(digest, sha256(secret))).includes(true);
}

function sha256(text: string) {
  return createHash("sha256").update(text).digest();
}
