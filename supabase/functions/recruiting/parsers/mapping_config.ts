import * as z from "zod";
import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { failure, type Result, success } from "../../_shared/result.ts";
import { compileExpression, type Expression } from "../../_shared/expression/expression.ts";
import { LEAD_FIELDS, RESUME_FIELDS } from "./mapping_values.ts";

const expression = z.string({ error: "give a JMESPath expression" })
  .transform((text, context): Expression => {
    const { data, error } = compileExpression(text);
    if (error === null) return data;
    // With `continue`, the enclosing union reports this message instead of its own.
    context.addIssue({
      code: "custom",
      message: `cannot read \`${text}\`: ${error}`,
      continue: true,
    });
    return z.NEVER;
  });
const constant = z.strictObject({ const: z.union([z.string(), z.number(), z.boolean()]) })
  .transform(({ const: constant }) => ({ constant }));
const step = z.union([expression, constant], {
  error: 'give a JMESPath expression or {"const": value}',
});
const source = z.union([step, z.array(step)], {
  error: 'give a JMESPath expression, {"const": value}, or a list of these',
}).transform((steps) => [steps].flat());
const resume = z.strictObject(
  Object.fromEntries(RESUME_FIELDS.keys().map((name) => [name, source])),
).partial();

const NO_FIELDS = 'give an object such as {"full_name": "<JMESPath expression>"}';
const NAME = /^[a-z][a-z0-9_]{0,62}$/;
/** The metadata fields that normalizeLead() sets itself. */
const RESERVED = ["phone_raw", "state_raw", "resume_url", "resume_skipped", "vendor_fields"];

/**
 * `vendors.parser_config` of the parser `mapping`: where each field is found in the payload. A field has one JMESPath
 * expression, one constant, or a list of these. In a list, the first that finds something wins.
 *
 * - `ignore_when`: an expression that is true for a body that is not a lead, such as a test ping.
 * - `leads`: an expression that finds the leads in a webhook's body with several. `fields` are then read in each of
 * them.
 *
 * @example
 * {
 *   fields: { first_name: "person.given", phone: ["mobile", "home"], source: { const: "fair" } },
 *   ignore_when: "event == 'ping'",
 *   leads: "entries",
 * }
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
  ignore_when: expression.optional(),
  leads: expression.optional(),
});

/** One place to look for a field. */
export type Step = Expression | { constant: Json };

/** Where each field is found: the first step that finds something wins. */
export type Sources = Record<string, Step[]>;

/** A compiled configuration. */
export interface Compiled {
  /** The fields that are separate in normalizeLead(). */
  lead: Sources;
  /** All other fields. */
  more: Sources;
  /** The fields of the resume. */
  resume: Sources;
  ignoreWhen?: Expression;
  leads?: Expression;
}

const cache = new WeakMap<JsonObject, Result<Compiled>>();

/** Compiles a configuration and caches the result. The error names the invalid field and expression. */
export function compileConfig(config: Json): Result<Compiled> {
  const known = isObject(config) ? cache.get(config) : undefined;
  if (known !== undefined) return known;
  const { data, error } = mappingConfig.safeParse(config);
  const compiled = data ? success(toCompiled(data)) : failure(describe(error));
  if (isObject(config)) cache.set(config, compiled);
  return compiled;
}

function describe({ issues }: z.ZodError): string {
  const { path = [], message = "cannot be read" } = issues[0] ?? {};
  return `${["parser_config", ...path].join(".")}: ${message}`;
}

function toCompiled(
  { fields: { resume = {}, ...fields }, ignore_when, leads }: z.output<typeof mappingConfig>,
): Compiled {
  const sources = Object.entries(fields as Sources);
  return {
    lead: Object.fromEntries(sources.filter(([name]) => LEAD_FIELDS.has(name))),
    more: Object.fromEntries(sources.filter(([name]) => !LEAD_FIELDS.has(name))),
    resume: resume as Sources,
    ignoreWhen: ignore_when,
    leads,
  };
}
