import * as z from "zod";
import type { ErrorCode } from "../../supabase/functions/_shared/errors.ts";
import type { Operation } from "./document.ts";
import { bulkSchema } from "../../supabase/functions/recruiting/ingest/ingest_bulk.ts";

const leadBody = z.looseObject({}).describe(
  "One applicant in the vendor's own format. After parsing there must be a first name; a vendor_lead_id deduplicates; " +
    "everything else is kept as metadata. docs/vendors.md lists what each parser reads.",
);

const distributedTo = z.strictObject({ agency_id: z.uuid(), agent_id: z.uuid().nullable() })
  .nullable()
  .describe("Null when no open order matched.");

const count = z.int().nonnegative();

const smsErrors: ErrorCode[] = [
  "UNAUTHORIZED",
  "METHOD_NOT_ALLOWED",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
];
const jsonErrors: ErrorCode[] = ["BAD_REQUEST", ...smsErrors, "INTERNAL_ERROR"];

/** Twilio sends more than these; all of them are signed. */
function form(parameters: Record<string, z.ZodType>) {
  return { type: "application/x-www-form-urlencoded" as const, schema: z.looseObject(parameters) };
}

function smsAnswer(...statuses: string[]) {
  return {
    200: {
      description: "Always, past the signature; `error` when the database stayed out of reach.",
      schema: z.strictObject({ status: z.enum([...statuses, "error"]) }),
    },
  };
}

/** This function's routes in docs/openapi.json; `npm run openapi` writes it. */
export const operations: Operation[] = [
  {
    path: "/recruiting/ingest",
    id: "ingestRecruitingLead",
    summary: "Ingest one recruiting lead",
    security: ["vendorKey"],
    query: {
      dry_run: {
        description: "`true`: tell what was read and what would happen, and change nothing.",
        schema: z.enum(["true", "false"]).optional(),
      },
    },
    body: { type: "application/json", schema: leadBody },
    answers: {
      201: {
        description: "A new lead",
        schema: z.strictObject({
          id: z.uuid(),
          status: z.literal("created"),
          distributed_to: distributedTo,
        }),
      },
      200: {
        description: "A duplicate, or a dry run",
        schema: z.union([
          z.strictObject({ id: z.uuid(), status: z.literal("duplicate") }),
          z.strictObject({
            dry_run: z.literal(true),
            status: z.enum(["created", "duplicate"]),
            id: z.uuid().nullable().describe("The existing lead's, for a duplicate."),
            order_id: z.uuid().nullable().describe("The order the lead would go to."),
            distributed_to: distributedTo,
            lead: z.strictObject({
              first_name: z.string(),
              vendor_lead_id: z.string().nullable(),
              vendor_metadata: z.looseObject({}),
              resume_bytes: count.nullable().describe("Size of the resume that would be stored."),
            }),
          }),
        ]),
      },
    },
    errors: jsonErrors,
  },
  {
    path: "/recruiting/ingest/bulk",
    id: "ingestRecruitingLeads",
    summary: "Ingest several recruiting leads, without resumes and without distribution",
    security: ["vendorKey"],
    body: { type: "application/json", schema: bulkSchema },
    answers: {
      200: {
        description: "What became of the rows",
        schema: z.strictObject({
          created: count,
          duplicates: count,
          errors: z.array(z.strictObject({
            row: count.describe("Zero-based index into `leads`."),
            reason: z.string(),
          })),
        }),
      },
    },
    errors: jsonErrors,
  },
  {
    path: "/recruiting/sms/inbound",
    id: "receiveSms",
    summary: "Twilio: a recruit's text message",
    security: ["twilioSignature"],
    body: form({
      From: z.string().describe("The recruit's phone number, E.164."),
      To: z.string().describe("The service's phone number that received the message."),
      Body: z.string().optional().describe("Absent from a message of pictures alone."),
      MessageSid: z.string(),
      NumMedia: z.string().optional(),
      MediaUrl0: z.string().optional(),
      MediaContentType0: z.string().optional(),
    }),
    answers: smsAnswer("received", "no_conversation"),
    errors: smsErrors,
  },
  {
    path: "/recruiting/sms/status",
    id: "updateSmsStatus",
    summary: "Twilio: the delivery status of a message",
    security: ["twilioSignature"],
    body: form({
      MessageSid: z.string(),
      MessageStatus: z.string().describe(
        "queued, sent, delivered, undelivered or failed; others are ignored.",
      ),
      ErrorCode: z.string().optional(),
    }),
    answers: smsAnswer("updated", "ignored"),
    errors: smsErrors,
  },
];
