import { ConfigurationError, requiredEnv } from "../../_shared/configuration.ts";
import { pastedUrl } from "../../_shared/public_url.ts";
import { secretsFromEnv } from "../../_shared/secrets.ts";

/** An account at Twilio, and how we log in to it. */
export interface TwilioAccount {
  /** `AC…` */
  sid: string;
  /** The key's or the account's SID. */
  username: string;
  /** The key's secret or the account's auth token. */
  password: string;
  /** Where the REST API is: `https://api.twilio.com`, or the double of the tests. */
  origin: string;
}

/**
 * The account of `TWILIO_ACCOUNT_SID`. The login is `TWILIO_API_KEY` with `TWILIO_API_SECRET`. Without a key it is the
 * account itself with the first of `TWILIO_AUTH_TOKEN`.
 *
 * @throws ConfigurationError naming the variable that is missing or wrong.
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
  // Another path, or a user name, would be left out without a word.
  if (url === null || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
    throw new ConfigurationError(
      "TWILIO_API_BASE_URL must be an origin, such as https://api.twilio.com",
    );
  }
  return url.origin;
}
