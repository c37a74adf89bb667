import * as z from "zod";
import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { failure, type Result, success } from "../../_shared/result.ts";
import { compileExpression, type Expression } from "./expression.ts";
import { Fields, toText } from "./fields.ts";
import { normalizeLead } from "./normalize.ts";
import type { Parser } from "./parser.ts";

const expression = z.string().transform((text, context): Step => {
  const { data, error } = compileExpression(text);
  if (error === null) return data;
  // With `continue`, the union around it gives this message instead of its own.
  context.addIssue({
    code: "custom",
    message: `cannot read \`${text}\`: ${error}`,
    continue: true,
  });
  return z.NEVER;
});
const constant = z.strictObject({ const: z.union([z.string(), z.number(), z.boolean()]) })
  .transform(({ const: constant }): Step => ({ constant }));
const step = z.union([expression, constant], {
  error: 'give a JMESPath expression or {"const": value}',
});
const source = z.union([step, z.array(step)], {
  error: 'give a JMESPath expression, {"const": value}, or a list of these',
}).transform((steps) => [steps].flat());
const resume = z.strictObject({
  data: source,
  content_type: source,
  file_name: source,
  url: source,
}).partial();

const NO_FIELDS = 'give an object such as {"full_name": "<JMESPath expression>"}';
const NAME = /^[a-z][a-z0-9_]{0,62}$/;
const TEXTS = [
  ...["first_name", "last_name", "full_name", "email", "phone", "address", "city", "state"],
  ...["zip", "country", "vendor_lead_id"],
];
/** The metadata fields that normalizeLead() writes itself. */
const RESERVED = ["phone_raw", "state_raw", "resume_url", "resume_skipped", "vendor_fields"];

/**
 * `vendors.parser_config` of the parser `mapping`: where in the payload each field is found. A field has one JMESPath
 * expression, one constant, or a list of these. In a list, the first that finds something wins.
 *
 * @example
 * { fields: { first_name: "person.given", phone: ["mobile", "home"], source: { const: "fair" } } }
 */
const mappingConfig = z.strictObject({
  fields: z.object({ resume: resume.optional() }, { error: NO_FIELDS }).catchall(source)
    .superRefine((fields, context) => {
      for (const name of Object.keys(fields)) {
        const message = RESERVED.includes(name)
          ? "is filled in by the service itself"
          : "is no usable name: use lower-case letters, digits and _, with a letter first";
        if (!NAME.test(name) || RESERVED.includes(name)) {
          context.addIssue({ code: "custom", path: [name], message });
        }
      }
      if (!("first_name" in fields || "full_name" in fields)) {
        context.addIssue({ code: "custom", message: "give first_name or full_name" });
      }
    }),
});

/**
 * Reads a payload as `vendors.parser_config` says, for a vendor that no other parser fits. See {@link mappingConfig}.
 */
export const mapping: Parser = (payload, config) => {
  const { data: compiled, error } = compileConfig(config);
  if (error !== null) return failure(error);

  const fields = new Fields(payload);
  const read = (sources: Sources, usable: Usable) =>
    Object.fromEntries(
      Object.entries(sources).map(([name, steps]) => [
        name,
        firstFound(steps, payload, fields, usable),
      ]),
    );
  const { is_test, submitted_at, consent, ...more } = read(compiled.others, unlessEmpty);
  return success(normalizeLead({
    ...read(compiled.texts, toText),
    resume: read(compiled.resume, unlessEmpty),
    is_test,
    submitted_at,
    consent,
    more,
    vendor_fields: fields.rest(),
  }));
};

type Step = Expression | { constant: Json };
type Sources = Record<string, Step[]>;
type Usable = (value: Json | undefined) => Json | undefined;

/** A compiled configuration. */
export interface Compiled {
  /** Fields that must be text. */
  texts: Sources;
  /** Fields that may hold any value. */
  others: Sources;
  /** The fields of the resume. */
  resume: Sources;
}

const cache = new WeakMap<JsonObject, Result<Compiled>>();

/** Compiles a configuration, each only once. The error names the field and the expression that are wrong. */
export function compileConfig(config: Json): Result<Compiled> {
  const known = isObject(config) ? cache.get(config) : undefined;
  if (known !== undefined) return known;
  const { data, error } = mappingConfig.safeParse(config);
  const compiled = data ? success(sortFields(data.fields)) : failure(describe(error));
  if (isObject(config)) cache.set(config, compiled);
  return compiled;
}

function describe({ issues }: z.ZodError): string {
  const { path = [], message = "cannot be read" } = issues[0] ?? {};
  return `${["parser_config", ...path].join(".")}: ${message}`;
}

function sortFields(
  { resume = {}, ...fields }: z.output<typeof mappingConfig>["fields"],
): Compiled {
  const sources = Object.entries(fields as Sources);
  return {
    texts: Object.fromEntries(sources.filter(([name]) => TEXTS.includes(name))),
    others: Object.fromEntries(sources.filter(([name]) => !TEXTS.includes(name))),
    resume: resume as Sources,
  };
}

// A value found by a plain path is taken, so the vendor's own fields no longer have it. For a computed value they stay.
function firstFound(
  steps: Step[],
  payload: Json,
  fields: Fields,
  usable: Usable,
): Json | undefined {
  for (const step of steps) {
    const value = usable("constant" in step ? step.constant : step.search(payload));
    if (value === undefined) continue;
    if ("path" in step && step.path !== undefined) fields.value(step.path);
    return value;
  }
  return undefined;
}

function unlessEmpty(value: Json | undefined): Json | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "object") return Object.keys(value).length > 0 ? value : undefined;
  return typeof value === "string" && value.trim() === "" ? undefined : value;
}
