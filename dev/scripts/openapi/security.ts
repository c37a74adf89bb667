import type { SecurityScheme } from "../../../supabase/functions/_shared/operation.ts";

/** The ways in which callers authenticate (SPEC 5). */
export const SECURITY_SCHEMES = {
  vendorKey: {
    type: "http",
    scheme: "bearer",
    description: "A vendor's API key. It also selects the parser of the body.",
  },
  webhookProof: {
    type: "apiKey",
    in: "header",
    name: "webhook-signature",
    description: "The proof that is agreed with the vendor: a signature as Standard Webhooks " +
      "(shown here), Indeed, Greenhouse, LinkedIn or Meta send it, or another header, user and " +
      "password, a parameter of the query, or `google_key` in the body.",
  },
  importKey: { type: "apiKey", in: "header", name: "x-api-key" },
  projectKey: {
    type: "apiKey",
    in: "header",
    name: "apikey",
    description: "The project's anon or publishable key.",
  },
  projectKeyInQuery: {
    type: "apiKey",
    in: "query",
    name: "apikey",
    description: "The same key, for sendBeacon, which cannot set headers.",
  },
  userToken: { type: "http", scheme: "bearer", description: "A signed-in user's JWT." },
  twilioSignature: {
    type: "apiKey",
    in: "header",
    name: "X-Twilio-Signature",
    description: "Twilio's signature over the public URL and every parameter.",
  },
  workerKey: {
    type: "http",
    scheme: "bearer",
    description: "The scheduler's key: `TEXTING_WORKER_KEY`.",
  },
  metricsKey: {
    type: "http",
    scheme: "bearer",
    description: "The monitor's key: `METRICS_KEY`.",
  },
} satisfies Record<SecurityScheme, object>;
