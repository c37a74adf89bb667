import * as z from "zod";
import { importSchema } from "../../../supabase/functions/api/import_leads.ts";
import { leadSchema } from "../../../supabase/functions/api/imported_lead.ts";
import { activitySchema } from "../../../supabase/functions/api/log_presentation_activity.ts";
import { JSON_ERRORS } from "./errors.ts";
import type { NamedSchemas, Operation } from "./operation.ts";
import { count, id } from "./values.ts";

// In a request the optional fields may be missing. The route's own schema has them, because the route fills in null
// first.
const salesLead = leadSchema.partial({
  last_name: true,
  email: true,
  address: true,
  city: true,
  zip: true,
  language: true,
});

// The route's own schema takes any item, because an invalid one is reported by itself. The document says what is valid.
const leadImport = importSchema.extend({ leads: z.array(salesLead).max(10_000) });

const leadError = z.strictObject({
  index: count.describe("Zero-based index into `leads`."),
  external_id: z.union([z.string(), z.number()]).nullable().describe("As sent."),
  code: z.enum(["INVALID", "DUPLICATE", "DATABASE_ERROR"]),
  reason: z.string(),
  lead_id: id.optional().describe("The lead stored before, for a duplicate."),
});

const importResult = z.strictObject({
  success: z.literal(true),
  imported: count,
  failed: count.describe("`imported + failed` is the number of leads sent."),
  errors: z.array(leadError),
  lead_ids: z.array(id).describe("Of the imported leads, in the request's order."),
});

const success = z.strictObject({ success: z.literal(true) });

/** Request schemas of the routes below. */
export const requestSchemas: NamedSchemas = {
  SalesLead: salesLead,
  LeadImport: leadImport,
  PresentationActivity: activitySchema,
};

/** Response schemas of the routes below. */
export const responseSchemas: NamedSchemas = {
  LeadError: leadError,
  ImportResult: importResult,
  Success: success,
};

/** The routes below /api. The examples use rows of supabase/seed.sql. */
export const operations: Operation[] = [
  {
    method: "post",
    isIdempotent: true,
    path: "/api/leads/import",
    id: "importLeads",
    summary: "Import sales leads for one agent",
    description:
      "Each lead is imported or reported by itself. The same request again imports nothing twice.",
    security: ["importKey"],
    body: {
      types: ["application/json"],
      schema: leadImport,
      examples: {
        one_lead: {
          summary: "One lead",
          value: {
            agency_id: "a0000000-0000-4000-8000-000000000001",
            agent_id: "b0000000-0000-4000-8000-000000000002",
            leads: [{
              external_id: "20000000-0000-4000-8000-0000000000ab",
              first_name: "Walt",
              phone: "312-555-0177",
              state: "IL",
              type: "fe",
            }],
          },
        },
      },
    },
    responses: {
      200: {
        description: "What became of the leads",
        schema: importResult,
        examples: {
          imported: {
            summary: "All leads imported",
            value: {
              success: true,
              imported: 1,
              failed: 0,
              errors: [],
              lead_ids: ["0a4be0a6-7b37-4b68-9a0c-3a6d6e1a5d0c"],
            },
          },
          failed: {
            summary: "One lead invalid, one imported before",
            value: {
              success: true,
              imported: 0,
              failed: 2,
              errors: [
                {
                  index: 0,
                  external_id: null,
                  code: "INVALID",
                  reason: "external_id is missing; phone is missing",
                },
                {
                  index: 1,
                  external_id: "20000000-0000-4000-8000-0000000000ab",
                  code: "DUPLICATE",
                  reason: "the agency has a lead with this external_id",
                  lead_id: "0a4be0a6-7b37-4b68-9a0c-3a6d6e1a5d0c",
                },
              ],
              lead_ids: [],
            },
          },
        },
      },
    },
    errors: JSON_ERRORS,
  },
  {
    method: "post",
    isIdempotent: true,
    path: "/api/leads/log-presentation-activity",
    id: "logPresentationActivity",
    summary: "Log what happens to a presentation, from its pop-out window",
    security: ["projectKey", "projectKeyInQuery", "userToken"],
    body: {
      types: ["application/json", "text/plain"],
      schema: activitySchema,
      examples: {
        started: {
          summary: "The presentation first opens",
          value: {
            lead_id: "10000000-0000-4000-8000-000000000001",
            agent_id: "b0000000-0000-4000-8000-000000000002",
            type: "presentation_started",
          },
        },
      },
    },
    responses: {
      200: {
        description: "Logged",
        schema: success,
        examples: { logged: { summary: "Logged", value: { success: true } } },
      },
    },
    errors: [...JSON_ERRORS, "NOT_FOUND"],
  },
];
