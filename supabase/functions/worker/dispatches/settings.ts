import type { VapidKeys } from "@block65/webcrypto-web-push";
import { ConfigurationError } from "../../_shared/configuration.ts";
import { pastedUrl } from "../../_shared/public_url.ts";
import { secretsFromEnv } from "../../_shared/secrets.ts";
import { KEY_BYTES, keyOf } from "./signature.ts";

/** The program that is notified of alerts. */
export interface AlertReceiver {
  url: string;
  /** The signing secrets. If empty, requests are not signed; with several, a request has a signature by each. */
  secrets: string[];
  /** The desk's page with the alerts; null if it is not configured. */
  link: string | null;
}

/**
 * Returns the receiver of `ALERT_WEBHOOK_URL`; null if it is not set.
 *
 * @throws ConfigurationError that names the invalid variable.
 */
export function alertReceiver(): AlertReceiver | null {
  const url = urlFromEnv("ALERT_WEBHOOK_URL");
  if (url === null) return null;
  const secrets = secretsFromEnv("ALERT_WEBHOOK_SECRET");
  if (secrets.some((secret) => keyOf(secret) === null)) {
    const { least, most } = KEY_BYTES;
    throw new ConfigurationError(`ALERT_WEBHOOK_SECRET must be whsec_ and ${least} to ${most} bytes in base64`);
  }
  const desk = urlFromEnv("DESK_URL");
  // The desk's views are in the URL's fragment.
  return { url, secrets, link: desk && `${pastedUrl(desk)}/#/operator` };
}

/**
 * Returns the URL of a variable; null if it is not set. An operator sets it, so any host is allowed, including hosts in
 * the operator's own network.
 *
 * @throws ConfigurationError if it is not a URL.
 */
export function urlFromEnv(name: string): string | null {
  const text = (Deno.env.get(name) ?? "").trim();
  if (text === "") return null;
  const url = URL.parse(text);
  const isAllowed = url?.protocol === "https:" ||
    url?.protocol === "http:" && ["localhost", "127.0.0.1"].includes(url.hostname);
  if (url === null || !isAllowed || url.username !== "" || url.password !== "") {
    throw new ConfigurationError(
      `${name} must be an https URL without a user name, or an http URL of localhost or 127.0.0.1`,
    );
  }
  return url.href;
}

/** Whether destinations on this machine are allowed, by http too. Only the launcher of a local stack sets it. */
export function areLocalDestinationsAllowed(): boolean {
  return Deno.env.get("ALLOW_LOCAL_DESTINATIONS") === "on";
}

/** The provider of e-mails: https://resend.com/docs/api-reference/emails/send-email */
export interface MailProvider {
  /** The origin of the API. */
  origin: string;
  apiKey: string;
  /** The sender, `leads@agency.example` or `Leads <leads@agency.example>`. */
  from: string;
}

/**
 * Returns the provider of e-mails; null if `RESEND_API_KEY` is not set.
 *
 * @throws ConfigurationError that names the missing or invalid variable.
 */
export function mailProvider(): MailProvider | null {
  const apiKey = (Deno.env.get("RESEND_API_KEY") ?? "").trim();
  if (apiKey === "") return null;
  const from = (Deno.env.get("MAIL_FROM") ?? "").trim();
  if (!/^[^\r\n]{0,200}@[^\r\n]{1,200}$/.test(from)) {
    throw new ConfigurationError("MAIL_FROM must be an e-mail address");
  }
  const origin = pastedUrl(Deno.env.get("RESEND_API_URL") ?? "") || "https://api.resend.com";
  if (!URL.canParse(origin)) throw new ConfigurationError("RESEND_API_URL must be a URL");
  return { origin, apiKey, from };
}

/**
 * Returns the keys by which push services know us; null if `VAPID_PRIVATE_KEY` is not set. `npm run admin -- push keys`
 * makes them.
 *
 * @throws ConfigurationError that names the missing or invalid variable.
 */
export function vapidKeys(): VapidKeys | null {
  const privateKey = (Deno.env.get("VAPID_PRIVATE_KEY") ?? "").trim();
  if (privateKey === "") return null;
  const publicKey = (Deno.env.get("VAPID_PUBLIC_KEY") ?? "").trim();
  const subject = (Deno.env.get("VAPID_SUBJECT") ?? "").trim();
  if (!/^[\w-]{43}$/.test(privateKey)) throw new ConfigurationError("VAPID_PRIVATE_KEY must be 32 bytes in base64url");
  if (!/^B[\w-]{86}$/.test(publicKey)) throw new ConfigurationError("VAPID_PUBLIC_KEY must be 65 bytes in base64url");
  if (!/^(mailto:.+@.+|https:\/\/.+)$/.test(subject)) {
    throw new ConfigurationError("VAPID_SUBJECT must be mailto: and an e-mail address, or an https URL");
  }
  return { publicKey, privateKey, subject };
}
