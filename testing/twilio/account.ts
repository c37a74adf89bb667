/** The account that the double has. */
export interface Account {
  sid: string;
  /** The password beside the account's sid. It signs the callbacks too. */
  authToken: string;
  /** An API key, which goes in the place of the account's sid and its token. */
  apiKey: string;
  apiSecret: string;
}

export const API_VERSION = "2010-04-01";

/** Whether a header `Authorization` has the account's credentials. */
export function isAuthorized(account: Account, header: string | undefined): boolean {
  return [[account.sid, account.authToken], [account.apiKey, account.apiSecret]]
    .some((pair) => header === `Basic ${btoa(pair.join(":"))}`);
}
