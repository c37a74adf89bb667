import { isObject, type Json } from "../../_shared/json.ts";
import type { Expression } from "./expression.ts";
import { Fields } from "./fields.ts";
import { compileConfig, type Compiled, type Sources, type Step } from "./mapping_config.ts";
import { anyValue, LEAD_FIELDS, type ReadValue, RESUME_FIELDS, SHARED_FIELDS } from "./mapping_values.ts";
import { parserOf, type RawLead } from "./normalize.ts";
import { NOT_A_NEW_APPLICATION, type SplitLeads } from "./parser.ts";

/**
 * Reads a payload as `vendors.parser_config` says, for a vendor that no other parser fits. See `mapping_config.ts`. The
 * configuration's `leads` is not looked at: a payload is one lead here.
 */
export const mapping = parserOf((fields, payload, config) => {
  const { data: compiled, error } = compileConfig(config);
  if (error !== null) return error;
  return isIgnored(payload, compiled) ? NOT_A_NEW_APPLICATION : readLead(fields, payload, compiled);
});

/**
 * Reads one of the leads that {@link splitLeads} has found in a body, without `ignore_when`, which is about the body.
 */
export const mappingPart = parserOf((fields, payload, config) => {
  const { data: compiled, error } = compileConfig(config);
  return error ?? readLead(fields, payload, compiled);
});

/**
 * Splits a webhook's body into the leads that the configuration's `leads` finds: a list that is not empty, or one
 * object.
 *
 * @returns null where {@link mapping} is to read the body as one lead. Then `leads` is not set or finds nothing else,
 * `ignore_when` is true of the body, or the configuration cannot be read.
 */
export function splitLeads(payload: Json, config: Json): SplitLeads | null {
  const { data: compiled } = compileConfig(config);
  if (!compiled?.leads || isIgnored(payload, compiled)) return null;
  const found = compiled.leads.search(payload);
  const leads = Array.isArray(found) ? found : isObject(found) ? [found] : [];
  return leads.length === 0 ? null : { leads, parse: (lead) => mappingPart(lead, config) };
}

function isIgnored(payload: Json, { ignoreWhen }: Compiled): boolean {
  return ignoreWhen !== undefined && isTrue(ignoreWhen, payload);
}

/** Whether an expression finds something other than JMESPath's false values: nothing, false, and what is empty. */
function isTrue(expression: Expression, payload: Json): boolean {
  const found = expression.search(payload);
  if (found === undefined || found === null || found === false || found === "") return false;
  return typeof found !== "object" || Object.keys(found).length > 0;
}

function readLead(fields: Fields, payload: Json, { lead, more, resume }: Compiled): RawLead {
  const read = (sources: Sources, types: Map<string, ReadValue>) =>
    Object.fromEntries(
      Object.entries(sources).map(([name, steps]) => [
        name,
        firstFound(steps, payload, fields, types.get(name) ?? anyValue),
      ]),
    );
  return {
    ...read(lead, LEAD_FIELDS),
    resume: read(resume, RESUME_FIELDS),
    more: read(more, SHARED_FIELDS),
  };
}

// A value that a plain path finds is taken from the payload's fields. A computed one leaves them as they are.
function firstFound(
  steps: Step[],
  payload: Json,
  fields: Fields,
  read: ReadValue,
): Json | undefined {
  for (const step of steps) {
    const path = "path" in step ? step.path : undefined;
    const found = () => ("constant" in step ? step.constant : step.search(payload)) ?? null;
    const value = path === undefined
      ? read(new Fields({ found: found() }), "found")
      : read(fields.at(path.slice(0, -1)), path.at(-1)!);
    if (value !== undefined) return value;
  }
  return undefined;
}
