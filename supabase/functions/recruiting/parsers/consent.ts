import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { compact, toText } from "./fields.ts";
import { readTime } from "./time.ts";

/** A vendor's fields about the applicant's consent to calls and texts. Any field may have any value. */
export interface ConsentFields {
  /** Whether consent was given: a boolean, or its text or number. Any other text counts as `text`. */
  given?: Json;
  /** The wording that the applicant accepted. */
  text?: Json;
  /** The address of the proof, such as a TrustedForm certificate. */
  url?: Json;
  /** When it was given, in one of the formats of readTime(). */
  at?: Json;
  /** The applicant's IP address at that time. */
  ip?: Json;
}

/**
 * Returns the consent as stored under `vendor_metadata.consent`: `{given, text, url, at, ip}`, without the fields that
 * the vendor does not send; undefined if there are none. A value that is not an object says whether consent was given.
 */
export function readConsent(value: ConsentFields | Json | undefined): JsonObject | undefined {
  const fields: ConsentFields = isObject(value) ? value : { given: value as Json | undefined };
  const given = readBoolean(fields.given);
  const consent = compact({
    given,
    // Some vendors send the wording itself instead of a yes.
    text: toText(fields.text) ?? (given === undefined ? toText(fields.given) : undefined),
    url: toText(fields.url),
    at: readTime(fields.at),
    ip: toText(fields.ip),
  });
  return Object.keys(consent).length > 0 ? consent : undefined;
}

/** In English, Spanish, Portuguese, French and German; a web form sends `on` for a checked box. */
const YES = /^(?:true|t|yes|y|1|on|sí|si|sim|oui|ja)$/;
const NO = /^(?:false|f|no|n|0|off|não|nao|non|nein)$/;

/** Returns a vendor's yes or no as a boolean: `true`, `"Yes"`, `"y"`, `1`, …; undefined for anything else. */
export function readBoolean(value: Json | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  const text = toText(value)?.toLowerCase() ?? "";
  if (YES.test(text)) return true;
  return NO.test(text) ? false : undefined;
}

/**
 * Returns the consent given by the checkboxes of a form: their common value; undefined if they differ or there are
 * none.
 */
export function readBoxes(
  boxes: Json | undefined,
  isChecked: (box: JsonObject) => boolean | undefined,
): boolean | undefined {
  const [first, ...others] = Array.isArray(boxes) ? boxes.filter(isObject).map(isChecked) : [];
  return others.every((other) => other === first) ? first : undefined;
}
