import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

/**
 * The API key of a role as hosted projects make it: a JWT signed with HS256. The times are fixed, so that a secret
 * always makes the same key.
 */
export function roleKey(role: "anon" | "service_role", secret: string): string {
  const issued = Date.UTC(2025, 0, 1) / 1000;
  const expires = Date.UTC(2100, 0, 1) / 1000;
  const content = [
    { alg: "HS256", typ: "JWT" },
    { iss: "local", role, iat: issued, exp: expires },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`;
}
