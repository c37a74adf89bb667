import { isObject, type Json } from "../../_shared/json.ts";
import type { Expression } from "../../_shared/expression/expression.ts";
import { Fields } from "./fields.ts";
import { compileConfig, type Compiled, type Sources, type Step } from "./mapping_config.ts";
import { anyValue, LEAD_FIELDS, type ReadValue, RESUME_FIELDS, SHARED_FIELDS } from "./mapping_values.ts";
import { parserOf, type RawLead } from "./normalize.ts";
import { NOT_A_NEW_APPLICATION, type SplitLeads } from "./parser.ts";

/**
 * Reads a payload according to `vendors.parser_config`, for a vendor without a parser of its own. See
 * `mapping_config.ts`. The configuration's `leads` is ignored: the payload is one lead.
 */
export const mapping = parserOf((fields, payload, config) => {
  const { data: compiled, error } = compileConfig(config);
  if (error !== null) return error;
  return isIgnored(payload, compiled) ? NOT_A_NEW_APPLICATION : readLead(fields, payload, compiled);
});

/**
 * Reads one of the leads that {@link splitLeads} found in a body, without `ignore_when`, which applies to the body.
 */
export const mappingPart = parserOf((fields, payload, config) => {
  const { data: compiled, error } = compileConfig(config);
  return error ?? readLead(fields, payload, compiled);
});

/**
 * Splits a webhook's body into the leads that the configuration's `leads` finds: a non-empty list, or one object.
 *
 * @returns null if {@link mapping} must read the body as one lead: `leads` is not set or finds nothing else,
 * `ignore_when` is true for the body, or the configuration is invalid.
 */
export function splitLeads(payload: Json, config: Json): SplitLeads | null {
  const { data: compiled } = compileConfig(config);
  if (!compiled?.leads || isIgnored(payload, compiled)) return null;
  const found = compiled.leads.search(payload);
  const leads = Array.isArray(found) ? found : isObject(found) ? [found] : [];
  return leads.length === 0 ? null : { leads, parse: (lead) => mappingPart(lead, config) };
}

/** What a configuration finds for each field, as it is in the payload, whether or not that is a lead. */
export function findFields(payload: Json, { lead, more }: Compiled): [field: string, found: Json | undefined][] {
  return Object.entries({ ...lead, ...more })
    .map(([field, steps]) => [field, firstFound(steps, payload, new Fields(payload), anyValue)]);
}

function isIgnored(payload: Json, { ignoreWhen }: Compiled): boolean {
  return ignoreWhen !== undefined && isTrue(ignoreWhen, payload);
}

/** Whether an expression is true in JMESPath: its value is not null, false or empty. */
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

// A value found by a plain path is taken from the payload's fields. A computed value leaves them unchanged.
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
