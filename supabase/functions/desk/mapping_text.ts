import * as z from "zod";
import { ApiError } from "../_shared/errors.ts";
import { type Json, parseJson } from "../_shared/json.ts";
import { KIB } from "../_shared/units.ts";
import { must } from "../_shared/validate.ts";
import { compileConfig } from "../recruiting/parsers/mapping_config.ts";

/** The maximum number of characters in a mapping. Each may take six bytes in the body. */
const LONGEST = 64 * KIB;
/** Of a body that has a mapping. */
export const BODY_LIMIT = 6 * LONGEST + KIB;
/** Each expression may take as many steps as the payload allows. */
const MOST_EXPRESSIONS = 300;
/** The mapping as it was typed, so that an error can contain the line and the column. */
export const configText = z.string({ error: must("be a text of JSON") })
  .max(LONGEST, { error: `must have at most ${LONGEST.toLocaleString("en-US")} characters` });

/** @throws ApiError BAD_REQUEST that names the invalid field of the mapping. */
export function readConfig(text: string): Json {
  let config: Json;
  try {
    config = parseJson(text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw wrong("parser_config", error.message.replace(/^the body/, "the mapping"));
  }
  const { error } = compileConfig(config);
  if (error !== null) {
    const [field, ...rest] = error.split(": ");
    throw wrong(field!, rest.join(": "));
  }
  if (countExpressions(config) > MOST_EXPRESSIONS) {
    throw wrong("parser_config.fields", `has more than ${MOST_EXPRESSIONS} expressions`);
  }
  return config;
}

function wrong(field: string, message: string): ApiError {
  return new ApiError("BAD_REQUEST", `${field}: ${message}`, { details: [{ field, message }] });
}

/** Returns the number of texts in a mapping: its expressions and constants. */
function countExpressions(value: Json): number {
  if (typeof value === "string") return 1;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + countExpressions(member), 0);
}
