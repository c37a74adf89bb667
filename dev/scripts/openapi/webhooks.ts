/** The routes below /recruiting/webhooks. */
import * as z from "zod";
import { createdLead } from "../../../supabase/functions/recruiting/ingest/responses.ts";
import { linkedInChallenge, metaChallenge } from "../../../supabase/functions/recruiting/webhooks/challenges.ts";
import { webhookResponse } from "../../../supabase/functions/recruiting/webhooks/leads.ts";
import { JSON_ERRORS } from "./errors.ts";
import { DRY_RUN_QUERY, DUPLICATE, recruitingLead, WAITING } from "./ingest.ts";
import type { Operation } from "./operation.ts";

const webhookBody = z.union([recruitingLead, z.array(recruitingLead).max(1_000)])
  .meta({ id: "WebhookBody" });

const path = "/recruiting/webhooks/{slug}";
const parameters = { slug: "The vendor's slug." };
const ofLinkedIn = { description: "Of LinkedIn.", schema: z.string().optional() };
const ofMeta = { description: "Of Meta.", schema: z.string().optional() };

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
        generic: [
          "For a vendor with the parser `generic`",
          { vendor_lead_id: "app-3001", first_name: "Ada", phone: "+12025550143" },
        ],
      },
    },
    responses: {
      201: {
        description: "A new lead",
        schema: createdLead,
        examples: { waiting: ["No open order matched", WAITING] },
      },
      200: {
        description: "A duplicate, an event that is no lead, several leads, or a dry run. For " +
          "Greenhouse, also a new lead",
        schema: webhookResponse,
        examples: {
          duplicate: ["The vendor_lead_id, or the id of the delivery, has come before", DUPLICATE],
          ignored: ["A rejected candidate, say", { status: "ignored" }],
          several: ["Two leads, one of them without a name", {
            results: [
              WAITING,
              { error: { code: "BAD_REQUEST", message: "missing first_name" } },
            ],
          }],
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
      "challengeCode": ofLinkedIn,
      "hub.mode": ofMeta,
      "hub.verify_token": ofMeta,
      "hub.challenge": ofMeta,
    },
    responses: {
      200: {
        description: "LinkedIn's code signed, or Meta's challenge as it came",
        schema: linkedInChallenge,
        examples: {
          linkedin: ["For LinkedIn", {
            challengeCode: "890e4665-4dfe-4ab1-b689-ed553bceeed0",
            challengeResponse: "2d1a9c7b0f1e4d3c8b6a5f4e3d2c1b0a9f8e7d6c5b4a39281706f5e4d3c2b1a0",
          }],
        },
        text: { schema: metaChallenge, examples: { meta: ["For Meta", "1158201444"] } },
      },
    },
    errors: ["UNAUTHORIZED", "INTERNAL_ERROR"],
  },
];
