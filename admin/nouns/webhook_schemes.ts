import type { WebhookScheme } from "../../supabase/functions/recruiting/webhooks/delivery.ts";

/** The settings of a webhook, by their names in `vendors.webhook_config`. */
export interface WebhookConfig {
  header?: string;
  algorithm?: string;
  encoding?: string;
  prefix?: string;
  signed?: string;
  timestamp_header?: string;
  tolerance_seconds?: number;
  parameter?: string;
  page_id?: string;
}

/** The facts that an operator needs of a scheme. Its check stands in supabase/functions/recruiting/webhooks. */
export interface Scheme {
  needs?: (keyof WebhookConfig)[];
  takes?: (keyof WebhookConfig)[];
  /** The side that makes the secret; with `we`, it may be generated here and entered there. */
  secretFrom: "vendor" | "we" | "either";
  /** The steps in the vendor's console, besides entering the address. */
  atVendor(config: WebhookConfig): string;
}

/** The facts of each scheme, by its name in `vendors.webhook_scheme`. The documentation named is the vendor's own. */
export const SCHEMES: Record<WebhookScheme, Scheme> = {
  hmac: {
    needs: ["header", "algorithm"],
    takes: ["encoding", "prefix", "signed", "timestamp_header", "tolerance_seconds"],
    secretFrom: "either",
    atVendor: ({ header }) => `the same secret; each request then has a signature in the header ${header}`,
  },
  standard: {
    secretFrom: "either",
    atVendor: () => "the same secret, which starts with whsec_, unless the vendor makes its own",
  },
  // https://docs.indeed.com/indeed-apply/add-indeed-apply
  indeed: {
    secretFrom: "vendor",
    atVendor: () =>
      "the address is the indeed-apply-postUrl of your jobs; the secret is the one of your Indeed Apply API token",
  },
  // https://support.greenhouse.io/hc/en-us/articles/360005574531
  greenhouse: {
    secretFrom: "we",
    atVendor: () =>
      "Configure, Dev Center, Web Hooks: the event is a candidate's new application, the secret is the Secret Key",
  },
  // https://learn.microsoft.com/linkedin/shared/api-guide/webhook-validation
  linkedin: {
    secretFrom: "vendor",
    atVendor: () => "the secret is the client secret of your application; add it before LinkedIn checks the address",
  },
  // https://developers.facebook.com/docs/graph-api/webhooks/getting-started
  meta: {
    takes: ["page_id"],
    secretFrom: "vendor",
    atVendor: () =>
      "the address is the Callback URL of the object Page, field leadgen; the secret is the App Secret. Add a " +
      "--kind verify_token as well, which is the Verify Token; both before Meta checks the address",
  },
  // https://developers.google.com/google-ads/webhook/docs/implementation
  google_ads: {
    secretFrom: "we",
    atVendor: () => "the lead form's webhook integration: the secret is the Key",
  },
  basic: {
    secretFrom: "we",
    atVendor: () => "user and password are the secret's parts before and after the first colon",
  },
  header: {
    needs: ["header"],
    takes: ["prefix"],
    secretFrom: "we",
    atVendor: ({ header, prefix = "" }) => `a header ${header} with ${prefix}<the secret>`,
  },
  query: {
    needs: ["parameter"],
    secretFrom: "we",
    atVendor: ({ parameter }) =>
      `the address ends with ?${parameter}=<the secret>; take another scheme if the vendor has one, because an ` +
      "address stands in more logs than a header",
  },
};
