import { Buffer } from "node:buffer";
import { ConfigurationError } from "../../_shared/configuration.ts";
import { pastedUrl } from "../../_shared/public_url.ts";
import { secretsFromEnv } from "../../_shared/secrets.ts";

/** The program that is notified of alerts, and the keys by which it knows the sender. */
export interface Receiver {
  url: string;
  /** The keys of the signatures. None: a request is not signed. Several: it has a signature of each. */
  keys: Uint8Array[];
  /** The desk's page that has the alerts; null where it is not known. */
  link: string | null;
}

/** The number of bytes that the specification of Standard Webhooks allows for a key. */
const KEY_BYTES = { least: 24, most: 64 };

/**
 * The receiver of `ALERT_WEBHOOK_URL`; null where that is not set.
 *
 * @throws ConfigurationError naming the variable that is wrong.
 */
export function alertReceiver(): Receiver | null {
  const url = httpsUrl("ALERT_WEBHOOK_URL", Deno.env.get("ALERT_WEBHOOK_URL"));
  if (url === null) return null;
  const desk = httpsUrl("DESK_URL", Deno.env.get("DESK_URL"));
  return {
    url,
    keys: secretsFromEnv("ALERT_WEBHOOK_SECRET").map(keyOf),
    // The views of the desk stand behind `#`.
    link: desk && `${pastedUrl(desk)}/#/operator`,
  };
}

/**
 * The URL of `ALERT_HEARTBEAT_URL`; null where that is not set.
 *
 * @throws ConfigurationError where it is none.
 */
export function heartbeatUrl(): string | null {
  return httpsUrl("ALERT_HEARTBEAT_URL", Deno.env.get("ALERT_HEARTBEAT_URL"));
}

/** An operator sets these URLs, so any address is allowed, also one of the operator's own network. */
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

function keyOf(secret: string): Uint8Array {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(base64 ?? "", "base64");
  if (key.length < KEY_BYTES.least || key.length > KEY_BYTES.most) {
    const { least, most } = KEY_BYTES;
    throw new ConfigurationError(`ALERT_WEBHOOK_SECRET must be whsec_ and ${least} to ${most} bytes in base64`);
  }
  return key;
}
