import * as z from "zod";
import { ApiError, type FieldProblem } from "./errors.ts";

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

/** A UUID in any case, of any version; becomes lower case, as the database writes it. */
export const uuid = z.string({ error: must("be a UUID") })
  .regex(UUID, { error: must("be a UUID") }).toLowerCase();

/** One of these texts. */
export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: must(`be one of ${values.join(", ")}`) });
}

/** What to say of a value of the wrong kind. */
export function must(what: string) {
  return ({ input }: { input?: unknown }) =>
    input === undefined || input === null ? "is missing" : `must ${what}`;
}

/**
 * Reads a value by its schema; what is wrong with it is told field by field.
 *
 * @param whole what to call the value itself, e.g. `the body`
 */
export function read<Schema extends z.ZodType>(schema: Schema, value: unknown, whole: string) {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return { data: data as z.output<Schema> };
  const details = error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
  const reason = details.map(({ field, message }) => `${field || whole} ${message}`).join("; ");
  return { reason, details } satisfies { reason: string; details: FieldProblem[] };
}

/**
 * Reads a request body by its schema.
 *
 * @throws ApiError BAD_REQUEST, its details naming each wrong field.
 */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown) {
  const { data, reason, details } = read(schema, body, "the body");
  if (reason !== undefined) throw new ApiError("BAD_REQUEST", reason, { details });
  return data as z.output<Schema>;
}
