import { existsSync } from "node:fs";
import { failure, type Result, success } from "../../supabase/functions/_shared/result.ts";
import { readDelivery } from "../../supabase/functions/desk/read_delivery.ts";
import { type Lead, type LeadAndResume, readLead } from "../../supabase/functions/recruiting/ingest/lead.ts";
import { PARSERS, splitLeads } from "../../supabase/functions/recruiting/parsers/index.ts";
import { NOT_A_NEW_APPLICATION } from "../../supabase/functions/recruiting/parsers/parser.ts";
import type { Resume } from "../../supabase/functions/recruiting/parsers/resume.ts";
import { readResumeFile } from "../../supabase/functions/recruiting/resumes/resume_file.ts";
import { CommandError } from "../errors.ts";
import { findDelivery, findVendor, type Row } from "../find.ts";
import type { Outcome, Session } from "../session.ts";
import { formatFields } from "../table.ts";
import { pathOf } from "../terminal.ts";
import { deliveriesOf } from "./delivery_read.ts";
import { checkParser, type ParserChoice, readConfig, readJsonFile } from "./vendor_config.ts";

/**
 * Shows what a vendor's parser, or the one given instead, makes of a payload: one lead, several, or none.
 *
 * @param given a file; or a rejected delivery of the vendor, which is read as its replay would read it
 */
export async function parsePayload(
  { sql }: Session,
  name: string,
  given: string,
  { parser, config: configFile }: ParserChoice,
): Promise<Outcome> {
  const vendor = await findVendor(sql, name);
  const { slug } = vendor;
  const parserName = parser ?? vendor.parser;
  const config = readConfig(parserName, configFile) ?? vendor.parser_config;
  checkParser(parserName, config);
  const parse = PARSERS.get(parserName ?? "");
  if (parse === undefined) {
    throw new CommandError(
      `${slug} has no parser: npm run admin -- vendor update ${slug} --parser <name>`,
    );
  }
  const isFile = !/^[0-9a-f-]+$/i.test(given) || existsSync(pathOf(given));
  if (!isFile) {
    const { id } = await findDelivery(sql, given);
    const read = await readStored(sql, id, { ...vendor, parser: parserName, parser_config: config });
    return { ...describe(read), shows: { vendor_id: vendor.id, delivery_id: id } };
  }
  const payload = readJsonFile(given);
  const split = splitLeads(parserName ?? "", payload, config);
  if (split !== null) return describeLeads(split.leads.map((lead) => readLead(split.parse, lead)));

  return describe(readLead((lead) => parse(lead, config), payload));
}

/** Reads a rejected delivery of a vendor, whose parser may be another one than it has. */
async function readStored(sql: Session["sql"], id: string, vendor: Row<"vendors">): Promise<Result<LeadAndResume>> {
  const [delivery] = await deliveriesOf(sql, sql`select ${id}::uuid`);
  if (delivery?.vendor_id !== vendor.id) throw new CommandError(`The delivery ${id} is not of ${vendor.slug}.`);
  const { data, error } = readDelivery(delivery, vendor);
  return error === null ? success({ lead: data.lead as Lead }) : failure(error);
}

function describe({ data, error }: Result<LeadAndResume>): Outcome {
  if (error === NOT_A_NEW_APPLICATION) {
    return { data: { status: "ignored", reason: error }, text: `Nothing is stored: ${error}` };
  }
  if (error !== null) throw new CommandError(`The lead would be refused: ${error}`);
  return describeLead(data);
}

function describeLeads(leads: Result<LeadAndResume>[]): Outcome {
  const outcomes = leads.map(({ data, error }) =>
    error === null
      ? describeLead(data)
      : { data: { error }, text: error === NOT_A_NEW_APPLICATION ? error : `refused: ${error}` }
  );
  const texts = outcomes.map(({ text }, i) => `Lead ${i + 1} of ${leads.length}\n${text}`);
  return { data: outcomes.map(({ data }) => data), text: texts.join("\n\n") };
}

function describeLead({ lead, resume }: LeadAndResume): Outcome {
  const { vendor_fields, ...metadata } = lead.vendor_metadata;
  const stored = resume && describeResume(resume);
  const { first_name, vendor_lead_id } = lead;
  const fields = { first_name, vendor_lead_id, ...metadata, ...(stored && { resume: stored }) };
  const others = vendor_fields === undefined
    ? ""
    : `\n\nKept as sent (vendor_fields):\n${JSON.stringify(vendor_fields, null, 2)}`;
  return { data: { ...lead, resume: stored ?? null }, text: formatFields(fields) + others };
}

function describeResume({ base64, type }: Resume): string {
  const { data, error } = readResumeFile(base64);
  if (error === null) return `${data.mediaType}, ${data.bytes.length} bytes`;
  return `not stored: ${error}${type === undefined ? "" : ` (the vendor says ${type})`}`;
}
