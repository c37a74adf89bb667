import { ConfigurationError } from "../../_shared/configuration.ts";
import { pastedUrl } from "../../_shared/public_url.ts";
import { secretsFromEnv } from "../../_shared/secrets.ts";
import { KEY_BYTES, keyOf } from "../dispatches/signature.ts";

/** The program that is notified of alerts, and the keys that authenticate the sender. */
export interface Receiver {
  url: string;
  /** The signing keys. If empty, requests are not signed; with several keys, a request has a signature for each. */
  keys: Uint8Array[];
  /** The desk's page with the alerts; null if it is not configured. */
  link: string | null;
}

/**
 * Returns the receiver of `ALERT_WEBHOOK_URL`; null if it is not set.
 *
 * @throws ConfigurationError that names the invalid variable.
 */
export function alertReceiver(): Receiver | null {
  const url = httpsUrl("ALERT_WEBHOOK_URL", Deno.env.get("ALERT_WEBHOOK_URL"));
  if (url === null) return null;
  const desk = httpsUrl("DESK_URL", Deno.env.get("DESK_URL"));
  return {
    url,
    keys: secretsFromEnv("ALERT_WEBHOOK_SECRET").map(requiredKeyOf),
    // The desk's views are in the URL's fragment.
    link: desk && `${pastedUrl(desk)}/#/operator`,
  };
}

/**
 * Returns the URL of `ALERT_HEARTBEAT_URL`; null if it is not set.
 *
 * @throws ConfigurationError if it is not a URL.
 */
export function heartbeatUrl(): string | null {
  return httpsUrl("ALERT_HEARTBEAT_URL", Deno.env.get("ALERT_HEARTBEAT_URL"));
}

/** An operator sets these URLs, so any host is allowed, including hosts in the operator's own network. */
function httpsUrl(name: string, value = ""): string | null {
  const text = value.trim();
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

function requiredKeyOf(secret: string): Uint8Array {
  const key = keyOf(secret);
  if (key !== null) return key;
  const { least, most } = KEY_BYTES;
  throw new ConfigurationError(`ALERT_WEBHOOK_SECRET must be whsec_ and ${least} to ${most} bytes in base64`);
}
