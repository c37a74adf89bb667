import * as z from "zod";
import { JSON_ERRORS } from "./errors.ts";
import { createdLead, DRY_RUN_QUERY, dryRun, duplicateLead, recruitingLead } from "./ingest.ts";
import type { NamedSchemas, Operation } from "./operation.ts";

const webhookBody = z.union([recruitingLead, z.array(recruitingLead).max(1_000)]);

const ignored = z.strictObject({
  status: z.literal("ignored").describe("A test, or an event that is no new application."),
});

const refusedLead = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string() }),
});

const webhookResults = z.strictObject({
  results: z.array(z.union([createdLead, duplicateLead, ignored, dryRun, refusedLead]))
    .describe("What became of each lead of the body, in its order."),
});

// Of one lead; 201 has a new one, and 200 for Greenhouse.
const webhookResponse = z.union([duplicateLead, ignored, createdLead, dryRun, webhookResults]);

const linkedInChallenge = z.strictObject({
  challengeCode: z.uuid(),
  challengeResponse: z.string().describe("HMAC-SHA256 of the code, in hex."),
});

const metaChallenge = z.string();

/** Request schemas of the routes below. */
export const requestSchemas: NamedSchemas = { WebhookBody: webhookBody };

/** Response schemas of the routes below. */
export const responseSchemas: NamedSchemas = {
  Ignored: ignored,
  RefusedLead: refusedLead,
  WebhookResults: webhookResults,
  WebhookResponse: webhookResponse,
  LinkedInChallenge: linkedInChallenge,
  MetaChallenge: metaChallenge,
};

const path = "/recruiting/webhooks/{slug}";
const parameters = { slug: "The vendor's slug." };
const ID = "4be0643f-1d98-473b-97cd-ca98a65347dd";

/** The routes below /recruiting/webhooks. */
export const operations: Operation[] = [
  {
    method: "post",
    isIdempotent: true,
    path,
    parameters,
    id: "receiveWebhook",
    summary: "Take in the leads of a vendor that cannot send an API key",
    description: "Does what POST /recruiting/ingest does. The body may also be a form, and may " +
      "hold several leads. A delivery that is repeated with the same id is a duplicate.",
    security: ["webhookProof"],
    query: DRY_RUN_QUERY,
    body: {
      types: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
      schema: webhookBody,
      examples: {
        generic: {
          summary: "For a vendor with the parser `generic`",
          value: { vendor_lead_id: "app-3001", first_name: "Ada", phone: "+12025550143" },
        },
      },
    },
    responses: {
      201: {
        description: "A new lead",
        schema: createdLead,
        examples: {
          waiting: {
            summary: "No open order matched",
            value: { id: ID, status: "created", distributed_to: null },
          },
        },
      },
      200: {
        description: "A duplicate, an event that is no lead, several leads, or a dry run. For " +
          "Greenhouse, also a new lead",
        schema: webhookResponse,
        examples: {
          duplicate: {
            summary: "The vendor_lead_id, or the id of the delivery, has come before",
            value: { id: ID, status: "duplicate" },
          },
          ignored: { summary: "A rejected candidate, say", value: { status: "ignored" } },
          several: {
            summary: "Two leads, one of them without a name",
            value: {
              results: [
                { id: ID, status: "created", distributed_to: null },
                { error: { code: "BAD_REQUEST", message: "missing first_name" } },
              ],
            },
          },
        },
      },
    },
    errors: JSON_ERRORS,
  },
  {
    method: "get",
    path,
    parameters,
    id: "respondToWebhookChallenge",
    summary: "Show LinkedIn or Meta that the address is ours",
    security: [],
    query: {
      "challengeCode": { description: "Of LinkedIn.", schema: z.string().optional() },
      "hub.mode": { description: "Of Meta.", schema: z.string().optional() },
      "hub.verify_token": { description: "Of Meta.", schema: z.string().optional() },
      "hub.challenge": { description: "Of Meta.", schema: z.string().optional() },
    },
    responses: {
      200: {
        description: "LinkedIn's code signed, or Meta's challenge as it came",
        schema: linkedInChallenge,
        examples: {
          linkedin: {
            summary: "For LinkedIn",
            value: {
              challengeCode: "890e4665-4dfe-4ab1-b689-ed553bceeed0",
              challengeResponse: "2d1a9c7b0f1e4d3c8b6a5f4e3d2c1b0a9f8e7d6c5b4a39281706f5e4d3c2b1a0",
            },
          },
        },
        text: {
          schema: metaChallenge,
          examples: { meta: { summary: "For Meta", value: "1158201444" } },
        },
      },
    },
    errors: ["UNAUTHORIZED", "INTERNAL_ERROR"],
  },
];
