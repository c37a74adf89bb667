import * as z from "zod";
import { isObject } from "../_shared/json.ts";
import { toE164 } from "../_shared/phone.ts";
import { must, oneOf, read, uuid } from "../_shared/validate.ts";

/** The kinds of lead that SPEC 4.3 lists. */
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

/** A sales lead as `import_leads` takes it. */
export type ImportedLead = z.output<typeof leadSchema> & {
  /** The phone in E.164 where it can be read, as a US number unless it says otherwise. */
  phone_e164: string | null;
};

/** Reads one lead of an import, or says which of its fields are wrong. */
export function readImportedLead(
  item: unknown,
): { lead: ImportedLead; reason?: undefined } | { lead?: undefined; reason: string } {
  const { data, reason } = read(leadSchema, isObject(item) ? tidy(item) : item, "the lead");
  if (data === undefined) return { reason };
  return { lead: { ...data, phone_e164: toE164(data.phone) ?? null } };
}

/**
 * The fields of a lead with texts trimmed, a blank one null, and a number as text: vendors send zips and now and then a
 * phone as numbers, and rejecting the lead would lose more. In a loop of its own, as zod takes 40 times as long for it.
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
