import { ConfigurationError, requiredEnv } from "../../_shared/configuration.ts";
import { pastedUrl } from "../../_shared/public_url.ts";
import { secretsFromEnv } from "../../_shared/secrets.ts";

/** A Twilio account and its credentials. */
export interface TwilioAccount {
  /** `AC…` */
  sid: string;
  /** The SID of the API key or of the account. */
  username: string;
  /** The secret of the API key or the account's auth token. */
  password: string;
  /** The origin of the REST API: `https://api.twilio.com`, or the tests' double. */
  origin: string;
}

/**
 * Returns the account of `TWILIO_ACCOUNT_SID`. Its credentials are `TWILIO_API_KEY` and `TWILIO_API_SECRET`, or,
 * without a key, the account's SID and the first value of `TWILIO_AUTH_TOKEN`.
 *
 * @throws ConfigurationError that names the missing or invalid variable.
 */
export function twilioAccount(): TwilioAccount {
  const sid = requiredEnv("TWILIO_ACCOUNT_SID");
  return { sid, ...login(sid), origin: origin() };
}

function login(accountSid: string): { username: string; password: string } {
  const hasKey = ["TWILIO_API_KEY", "TWILIO_API_SECRET"].some((name) => Deno.env.get(name)?.trim());
  if (hasKey) {
    return {
      username: requiredEnv("TWILIO_API_KEY"),
      password: requiredEnv("TWILIO_API_SECRET"),
    };
  }
  const [token] = secretsFromEnv("TWILIO_AUTH_TOKEN");
  if (token === undefined) {
    throw new ConfigurationError("neither TWILIO_API_KEY nor TWILIO_AUTH_TOKEN is set");
  }
  return { username: accountSid, password: token };
}

function origin(): string {
  const text = pastedUrl(Deno.env.get("TWILIO_API_BASE_URL") ?? "") || "https://api.twilio.com";
  const url = URL.parse(text);
  // A path or a user name would be ignored silently.
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new ConfigurationError(
      "TWILIO_API_BASE_URL must be an origin, such as https://api.twilio.com",
    );
  }
  return url.origin;
}
