import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { compact, toText } from "./fields.ts";
import { readTime } from "./time.ts";

/** A vendor's fields about the applicant's consent to be called and texted. Any value may stand in any field. */
export interface ConsentFields {
  /** Whether it was given: a boolean, or a text or number for one. Any other text counts as `text`. */
  given?: Json;
  /** The words to which the applicant agreed. */
  text?: Json;
  /** Where it can be looked up, such as a TrustedForm certificate. */
  url?: Json;
  /** When it was given, in one of the forms of readTime(). */
  at?: Json;
  /** The applicant's IP address at that time. */
  ip?: Json;
}

/**
 * The consent as kept under `vendor_metadata.consent`: `{given, text, url, at, ip}`, each only where the vendor has it;
 * undefined where it has nothing. A value that is no object says whether it was given.
 */
export function readConsent(value: ConsentFields | Json | undefined): JsonObject | undefined {
  const fields: ConsentFields = isObject(value) ? value : { given: value as Json | undefined };
  const given = readBoolean(fields.given);
  const consent = compact({
    given,
    // Some vendors send the words themselves for a yes.
    text: toText(fields.text) ?? (given === undefined ? toText(fields.given) : undefined),
    url: toText(fields.url),
    at: readTime(fields.at),
    ip: toText(fields.ip),
  });
  return Object.keys(consent).length > 0 ? consent : undefined;
}

/** In English, Spanish, Portuguese, French and German; `on` is what a web form sends for a checked box. */
const YES = /^(?:true|t|yes|y|1|on|sí|si|sim|oui|ja)$/;
const NO = /^(?:false|f|no|n|0|off|não|nao|non|nein)$/;

/** A vendor's yes or no: `true`, `"Yes"`, `"y"`, `1`, …; undefined for anything else. */
export function readBoolean(value: Json | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  const text = toText(value)?.toLowerCase() ?? "";
  if (YES.test(text)) return true;
  return NO.test(text) ? false : undefined;
}

/** The consent by the boxes of a form: their common answer; undefined where they differ or there are none. */
export function readBoxes(
  boxes: Json | undefined,
  isChecked: (box: JsonObject) => boolean | undefined,
): boolean | undefined {
  const [first, ...others] = Array.isArray(boxes) ? boxes.filter(isObject).map(isChecked) : [];
  return others.every((other) => other === first) ? first : undefined;
}
