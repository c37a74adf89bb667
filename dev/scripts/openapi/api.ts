/** The routes below /api. The examples use rows of supabase/seed.sql. */
import * as z from "zod";
import { importRequest, importResult } from "../../../supabase/functions/api/import_leads.ts";
import { leadSchema } from "../../../supabase/functions/api/imported_lead.ts";
import { activityRequest, activityResult } from "../../../supabase/functions/api/log_presentation_activity.ts";
import { JSON_ERRORS } from "./errors.ts";
import type { Operation } from "./operation.ts";

const AGENCY = "a0000001-0000-4000-8000-000000000001";
const AGENT = "b0000002-0000-4000-8000-000000000002";
const EXTERNAL_ID = "20000000-0000-4000-8000-0000000000ab";
const LEAD = "0a4be0a6-7b37-4b68-9a0c-3a6d6e1a5d0c";

// In a request the optional fields may be missing. The route's own schema has them, because the route fills in null
// first.
const salesLead = leadSchema.partial({
  last_name: true,
  email: true,
  address: true,
  city: true,
  zip: true,
  language: true,
}).meta({ id: "SalesLead" });

// The route's own schema takes any item, because an invalid one is reported by itself. The document says what is valid.
const leadImport = importRequest.extend({ leads: z.array(salesLead).max(10_000) })
  .meta({ id: "LeadImport" });

export const operations: Operation[] = [
  {
    method: "post",
    isIdempotent: true,
    path: "/api/leads/import",
    id: "importLeads",
    summary: "Import sales leads for one agent",
    description: "Each lead is imported or reported by itself. The same request again imports nothing twice.",
    security: ["importKey"],
    body: {
      types: ["application/json"],
      schema: leadImport,
      examples: {
        one_lead: ["One lead", {
          agency_id: AGENCY,
          agent_id: AGENT,
          leads: [{
            external_id: EXTERNAL_ID,
            first_name: "Walt",
            phone: "312-555-0177",
            state: "IL",
            type: "fe",
          }],
        }],
      },
    },
    responses: {
      200: {
        description: "What became of the leads",
        schema: importResult,
        examples: {
          imported: [
            "All leads imported",
            { success: true, imported: 1, failed: 0, errors: [], lead_ids: [LEAD] },
          ],
          failed: ["One lead invalid, one imported before", {
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
                external_id: EXTERNAL_ID,
                code: "DUPLICATE",
                reason: "the agency has a lead with this external_id",
                lead_id: LEAD,
              },
            ],
            lead_ids: [],
          }],
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
      schema: activityRequest,
      examples: {
        started: ["The presentation first opens", {
          lead_id: "10000001-0000-4000-8000-000000000001",
          agent_id: AGENT,
          type: "presentation_started",
        }],
      },
    },
    responses: {
      200: {
        description: "Logged",
        schema: activityResult,
        examples: { logged: ["Logged", { success: true }] },
      },
    },
    errors: [...JSON_ERRORS, "NOT_FOUND"],
  },
];
