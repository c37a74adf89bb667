import * as z from "zod";
import type { Operation } from "./document.ts";
import { importSchema } from "../../supabase/functions/api/import_leads.ts";
import { leadSchema } from "../../supabase/functions/api/imported_lead.ts";
import { activitySchema } from "../../supabase/functions/api/log_presentation_activity.ts";

const count = z.int().nonnegative();

/** This function's routes in docs/openapi.json; `npm run openapi` writes it. */
export const operations: Operation[] = [
  {
    path: "/api/leads/import",
    id: "importLeads",
    summary: "Import sales leads for one agent",
    description:
      "Each lead is imported or reported by itself; the same request again imports nothing twice.",
    security: ["importKey"],
    body: {
      type: "application/json",
      // A wrong lead is reported in its place, so the envelope alone is what the request stands or falls by.
      schema: importSchema.extend({
        leads: z.array(leadSchema.partial({
          last_name: true,
          email: true,
          address: true,
          city: true,
          zip: true,
          language: true,
        })),
      }),
    },
    answers: {
      200: {
        description: "What became of the leads: `imported + failed` is the number sent",
        schema: z.strictObject({
          success: z.literal(true),
          imported: count,
          failed: count,
          errors: z.array(z.strictObject({
            index: count.describe("Zero-based index into `leads`."),
            external_id: z.union([z.string(), z.number()]).nullable().describe("As sent."),
            code: z.enum(["INVALID", "DUPLICATE", "DATABASE_ERROR"]),
            reason: z.string(),
            lead_id: z.uuid().optional().describe("The existing lead, for a duplicate."),
          })),
          lead_ids: z.array(z.uuid()).describe("Of the imported leads, in the request's order."),
        }),
      },
    },
    errors: [
      "BAD_REQUEST",
      "UNAUTHORIZED",
      "METHOD_NOT_ALLOWED",
      "PAYLOAD_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
      "INTERNAL_ERROR",
    ],
  },
  {
    path: "/api/leads/log-presentation-activity",
    id: "logPresentationActivity",
    summary: "Log what happens to a presentation, from its pop-out window",
    security: ["projectKey", "projectKeyInQuery", "userToken"],
    body: { type: "application/json", schema: activitySchema },
    answers: {
      200: { description: "Logged", schema: z.strictObject({ success: z.literal(true) }) },
    },
    errors: [
      "BAD_REQUEST",
      "UNAUTHORIZED",
      "NOT_FOUND",
      "METHOD_NOT_ALLOWED",
      "PAYLOAD_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
      "INTERNAL_ERROR",
    ],
  },
];
