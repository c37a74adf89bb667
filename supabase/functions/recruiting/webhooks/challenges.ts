import { Buffer } from "node:buffer";
import * as z from "zod";
import { matchesSecret } from "../../_shared/secrets.ts";
import { sign } from "./hmac.ts";
import { usableSecrets, type Webhook } from "./delivery.ts";

/** The response to a challenge of LinkedIn, as JSON. */
export const linkedInChallenge = z.strictObject({
  challengeCode: z.uuid(),
  challengeResponse: z.string().describe("HMAC-SHA256 of the code, in hex."),
}).meta({ id: "LinkedInChallenge" });

/** The response to a challenge of Meta, as text. */
export const metaChallenge = z.string().meta({ id: "MetaChallenge" });

/**
 * Responds to the GET request with which LinkedIn or Meta verifies the ownership of the URL.
 *
 * @returns null for any other request, and for a challenge with a wrong token
 */
export function respondToChallenge(
  webhook: Webhook | null,
  query: URLSearchParams,
): Response | null {
  if (webhook?.scheme === "linkedin") return respondToLinkedIn(webhook, query);
  if (webhook?.scheme === "meta") return respondToMeta(webhook, query);
  return null;
}

/**
 * LinkedIn sends type-4 UUIDs. Nothing else is signed, because `hmacsha256=<body>` would give a stranger the signature
 * of the body.
 */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** https://learn.microsoft.com/linkedin/shared/api-guide/webhook-validation */
function respondToLinkedIn(webhook: Webhook, query: URLSearchParams): Response | null {
  const challengeCode = query.get("challengeCode") ?? "";
  const [newest] = usableSecrets(webhook, "secret");
  if (!UUID.test(challengeCode) || newest === undefined) return null;
  const challengeResponse = Buffer.from(sign("sha256", newest.secret, [challengeCode])).toString(
    "hex",
  );
  return Response.json({ challengeCode, challengeResponse });
}

/** Meta sends a number. Nothing that a browser could render as a page is returned. */
const CHALLENGE = /^[\w.-]{1,128}$/;

/** https://developers.facebook.com/docs/graph-api/webhooks/getting-started */
function respondToMeta(webhook: Webhook, query: URLSearchParams): Response | null {
  const tokens = usableSecrets(webhook, "verify_token").map(({ secret }) => secret);
  const isKnown = matchesSecret(query.get("hub.verify_token") ?? "", tokens);
  const challenge = query.get("hub.challenge") ?? "";
  if (!isKnown || query.get("hub.mode") !== "subscribe" || !CHALLENGE.test(challenge)) return null;
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  };
  return new Response(challenge, { headers });
}
