import { ConfigurationError } from "../../_shared/configuration.ts";
import { pastedUrl } from "../../_shared/public_url.ts";

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
