/** The account that the double has. */
export interface Account {
  sid: string;
  /** The password beside the account's sid. It signs the callbacks too. */
  authToken: string;
  /** An API key, which goes in the place of the account's sid and its token. */
  apiKey: string;
  apiSecret: string;
}

/** The account of a double where a test needs no other. */
export const ACCOUNT: Account = {
  sid: `AC${"0".repeat(31)}1`,
  authToken: "0123456789abcdef0123456789abcdef",
  apiKey: `SK${"0".repeat(31)}2`,
  apiSecret: "a secret of the double",
};

/** The settings with which functions and commands use a double on this port. */
export function twilioSettings(port: number, account = ACCOUNT): Record<string, string> {
  return {
    TWILIO_API_BASE_URL: `http://127.0.0.1:${port}`,
    TWILIO_ACCOUNT_SID: account.sid,
    TWILIO_API_KEY: account.apiKey,
    TWILIO_API_SECRET: account.apiSecret,
    TWILIO_AUTH_TOKEN: account.authToken,
  };
}

export const API_VERSION = "2010-04-01";

/** Whether a header `Authorization` has the account's credentials. */
export function isAuthorized(account: Account, header: string | undefined): boolean {
  return [[account.sid, account.authToken], [account.apiKey, account.apiSecret]]
    .some((pair) => header === `Basic ${btoa(pair.join(":"))}`);
}
