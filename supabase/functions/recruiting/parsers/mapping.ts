import type { Json } from "../../_shared/json.ts";
import { isObject } from "../../_shared/json.ts";
import { failure, success } from "../../_shared/result.ts";
import type { Expression } from "./expression.ts";
import { Fields, toText } from "./fields.ts";
import { compileConfig, type Compiled, type Sources, type Step } from "./mapping_config.ts";
import { normalizeLead } from "./normalize.ts";
import { NOT_A_NEW_APPLICATION, type ParsedLead, type Parser, type SplitLeads } from "./parser.ts";

/**
 * Reads a payload as `vendors.parser_config` says, for a vendor that no other parser fits. See `mapping_config.ts`. The
 * configuration's `leads` is not looked at: a payload is one lead here.
 */
export const mapping: Parser = (payload, config) => {
  const { data: compiled, error } = compileConfig(config);
  if (error !== null) return failure(error);
  if (isIgnored(payload, compiled)) return failure(NOT_A_NEW_APPLICATION);
  return success(readLead(payload, compiled));
};

/**
 * Splits a webhook's body into the leads that the configuration's `leads` finds: a list that is not empty, or one object.
 * They are read like a body, without `ignore_when`, which is about the body.
 *
 * @returns null where the body is to be read as one lead by {@link mapping}: without `leads`, where it finds nothing else,
 * where `ignore_when` is true of the body, and where the configuration cannot be read
 */
export function splitLeads(payload: Json, config: Json): SplitLeads | null {
  const { data: compiled } = compileConfig(config);
  if (!compiled?.leads || isIgnored(payload, compiled)) return null;
  const found = compiled.leads.search(payload);
  const leads = Array.isArray(found) ? found : isObject(found) ? [found] : [];
  return leads.length === 0 ? null : { leads, parse: (lead) => success(readLead(lead, compiled)) };
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

function readLead(payload: Json, compiled: Compiled): ParsedLead {
  const fields = new Fields(payload);
  const read = (sources: Sources, usable: Usable) =>
    Object.fromEntries(
      Object.entries(sources).map(([name, steps]) => [
        name,
        firstFound(steps, payload, fields, usable),
      ]),
    );
  const { is_test, submitted_at, consent, ...more } = read(compiled.others, unlessEmpty);
  return normalizeLead({
    ...read(compiled.texts, toText),
    resume: read(compiled.resume, unlessEmpty),
    is_test,
    submitted_at,
    consent,
    more,
    fields,
  });
}

type Usable = (value: Json | undefined) => Json | undefined;

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
