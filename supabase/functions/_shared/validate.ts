import * as z from "zod";
import { ApiError, type FieldProblem } from "./errors.ts";
import { failure, type Result, success } from "./result.ts";

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

/** A UUID of any version, in upper or lower case. It becomes lower case, as the database writes it. */
export const uuid = z.string({ error: must("be a UUID") })
  .regex(UUID, { error: must("be a UUID") }).toLowerCase();

/** An id that the service has made. */
export const id = z.string().meta({ format: "uuid" });

/** A number of things, or an index into a list. */
export const count = z.int().nonnegative();

/** One of these texts. */
export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: must(`be one of ${values.join(", ")}`) });
}

/** The message about a value of the wrong type: "must …", or "is missing" where there is no value. */
export function must(what: string) {
  return ({ input }: { input?: unknown }) => input === undefined || input === null ? "is missing" : `must ${what}`;
}

/** A fault of a value. */
export interface Invalid {
  /** Every wrong field in one sentence, e.g. `phone is missing; type must be one of fwk, csk`. */
  reason: string;
  /** The same, field by field. */
  details: FieldProblem[];
}

/**
 * Checks a value against a schema.
 *
 * @param name what the reason calls the value itself, e.g. `the lead`
 * @returns the value as the schema gives it, or what is wrong with it
 */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  name: string,
): Result<z.output<Schema>, Invalid> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return success(data as z.output<Schema>);
  const details = error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
  const reason = details.map(({ field, message }) => `${field || name} ${message}`).join("; ");
  return failure({ reason, details });
}

/**
 * Requires that a request body fits a schema.
 *
 * @throws ApiError BAD_REQUEST; its details name each wrong field.
 */
export function requireValidBody<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const { data, error } = validate(schema, body, "the body");
  if (error !== null) throw new ApiError("BAD_REQUEST", error.reason, { details: error.details });
  return data;
}
