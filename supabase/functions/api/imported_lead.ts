import * as z from "zod";
import { isObject } from "../_shared/json.ts";
import { toE164 } from "../_shared/phone.ts";
import { failure, type Result, success } from "../_shared/result.ts";
import { must, oneOf, uuid, validate } from "../_shared/validate.ts";

/** The lead types of SPEC 4.3. */
const TYPES = ["fwk", "csk", "br", "union", "ncr", "pos", "dcard", "fe", "globe"] as const;

const text = z.string({ error: must("be a text") });

/** One lead of an import. */
export const leadSchema = z.object({
  external_id: uuid,
  first_name: text,
  last_name: text.nullable(),
  phone: text,
  email: text.nullable(),
  address: text.nullable(),
  city: text.nullable(),
  state: text,
  zip: text.nullable(),
  language: text.nullable(),
  type: oneOf(TYPES),
}, { error: must("be a JSON object") });

const FIELDS = Object.keys(leadSchema.shape);

/** A sales lead as `import_leads` expects it. */
export type ImportedLead = z.output<typeof leadSchema> & {
  /** The phone in E.164, or null if it cannot be read. A number without a country code is a US number. */
  phone_e164: string | null;
};

/** Reads one lead of an import; the error names the invalid fields. */
export function readImportedLead(item: unknown): Result<ImportedLead> {
  const { data, error } = validate(leadSchema, isObject(item) ? tidy(item) : item, "the lead");
  if (error !== null) return failure(error.reason);
  return success({ ...data, phone_e164: toE164(data.phone) ?? null });
}

/**
 * Normalizes the fields of a lead: texts are trimmed, a blank text becomes null, and a number becomes text. Vendors
 * send ZIP codes, and occasionally phones, as numbers; rejecting the lead would lose more. This is a loop because zod
 * takes 40 times as long.
 */
function tidy(item: Record<string, unknown>): Record<string, unknown> {
  const tidied: Record<string, unknown> = {};
  for (const field of FIELDS) {
    let value = item[field];
    if (typeof value === "number") value = String(value);
    if (typeof value === "string") value = value.trim();
    tidied[field] = value === "" || value === undefined ? null : value;
  }
  return tidied;
}
