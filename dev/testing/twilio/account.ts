/** The account of the double. */
export const ACCOUNT = {
  sid: `AC${"0".repeat(31)}1`,
  /** The password beside the account's sid. It signs the callbacks too. */
  authToken: "0123456789abcdef0123456789abcdef",
  /** An API key, which goes in the place of the account's sid and its token. */
  apiKey: `SK${"0".repeat(31)}2`,
  apiSecret: "a secret of the double",
};

/** The settings with which functions and commands use a double on this port. */
export function twilioSettings(port: number): Record<string, string> {
  return {
    TWILIO_API_BASE_URL: `http://127.0.0.1:${port}`,
    TWILIO_ACCOUNT_SID: ACCOUNT.sid,
    TWILIO_API_KEY: ACCOUNT.apiKey,
    TWILIO_API_SECRET: ACCOUNT.apiSecret,
    TWILIO_AUTH_TOKEN: ACCOUNT.authToken,
  };
}

export const API_VERSION = "2010-04-01";

/** Whether a header `Authorization` has the account's credentials. */
export function isAuthorized(header: string | undefined): boolean {
  const { sid, authToken, apiKey, apiSecret } = ACCOUNT;
  return [`${sid}:${authToken}`, `${apiKey}:${apiSecret}`]
    .some((pair) => header === `Basic ${btoa(pair)}`);
}
