import { Option } from "commander";
import { existsSync } from "node:fs";
import type postgres from "postgres";
import type { AdminCommand } from "../command.ts";
import { type CsvRow, readCsv } from "../csv_file.ts";
import { valueOf } from "../database.ts";
import { CommandError } from "../errors.ts";
import { findVendor, type Row } from "../find.ts";
import { formatCsv } from "../formats/csv.ts";
import { CSV, DRY_RUN, text, wrongCsv } from "../options.ts";
import type { Outcome, Session } from "../session.ts";
import { formatFirst } from "../table.ts";
import { pathOf } from "../terminal.ts";
import { type Lead, type Parse, readLead, skipResume } from "../../supabase/functions/recruiting/ingest/lead.ts";
import { PARSERS } from "../../supabase/functions/recruiting/parsers/index.ts";
import { previewLeads } from "./lead_preview.ts";
import { checkParser, readJsonFile } from "./vendor_config.ts";

/** New leads wait while a batch is distributed. */
const BATCH = 100;
/** The column of the refused rows that an import leaves out, so that the corrected file can be imported. */
const REASON = "refused_because";

/** A row that can be stored, and the line of the file in which it ends. */
interface LeadRow {
  line: number;
  values: Record<string, string>;
  lead: Lead;
}
type Refused = Pick<LeadRow, "line" | "values"> & { reason: string };

/** The result of import_recruiting_leads() for a row. */
interface Result {
  id?: string;
  status?: "created" | "duplicate";
  distribution?: string;
  error?: { message: string };
}

export function addLeadFiles(lead: AdminCommand): void {
  const VENDOR = text("--vendor <vendor>", "whose leads these are");
  lead.verb(
    "import <file.csv>",
    "stores the recruiting leads of a vendor's CSV file",
    "leads.csv --vendor acme --dry-run",
  )
    .needs(VENDOR)
    .takes(text("--map <file.json>", "the mapping that reads the rows; the vendor's parser, unless given"))
    .takes(new Option("--distribute", "also distribute the new leads"), DRY_RUN)
    .addHelpText(
      "after",
      "\nThe first line names the columns. Rows that are refused are written to a file beside it, with their reasons." +
        "\nA row with a vendor_lead_id is stored once, however often it is imported.",
    )
    .runs(importLeads);
  lead.verb(
    "match <file>",
    "which of a vendor's own ids are stored, duplicate, rejected or unknown",
    "ids.txt --vendor acme",
  )
    .needs(VENDOR).takes(CSV)
    .addHelpText("after", "\nThe file has an id in each line, or is CSV with a column vendor_lead_id.")
    .refuses((_file: string, given: { csv?: boolean; json?: boolean }) => wrongCsv(given))
    .runs(matchLeads);
}

async function importLeads(
  session: Session,
  file: string,
  { vendor: name, map, distribute = false, dryRun = false }: {
    vendor: string;
    map?: string;
    distribute?: boolean;
    dryRun?: boolean;
  },
): Promise<Outcome> {
  const vendor = await findVendor(session.sql, name);
  const parse = parserOf(vendor, map);
  const { columns, rows } = readCsv(file);
  const { leads, refused } = readRows(parse, rows);
  const importId = crypto.randomUUID();
  const results = await storeAll(session, vendor.id, leads, importId, distribute, dryRun, file);
  for (const [i, { error }] of results.entries()) {
    if (error !== undefined) refused.push({ ...leads[i]!, reason: error.message });
  }
  refused.sort((one, other) => one.line - other.line);

  const count = (isMeant: (result: Result) => boolean) => results.filter(isMeant).length;
  const counts = {
    created: count(({ status }) => status === "created"),
    duplicates: count(({ status }) => status === "duplicate"),
    refused: refused.length,
    distributed: count(({ status, distribution }) => status === "created" && distribution === "distributed"),
  };
  const refusedFile = refused.length > 0 ? await writeRefused(file, columns, refused) : null;
  const errors = refused.map(({ line, reason }) => ({ line, reason }));
  const withoutId = leads.filter(({ lead }) => lead.vendor_lead_id === null).length;
  const summary = `${dryRun ? "Dry run, nothing was stored. " : ""}New leads: ${counts.created}. ` +
    `Leads that had come before: ${counts.duplicates}. Refused rows: ${counts.refused}.` +
    (distribute && !dryRun ? ` Distributed: ${counts.distributed}.` : "");
  const preview = dryRun && leads.length > 0
    ? previewLeads(leads.map(({ lead, values }) => ({ lead, payload: values, parse })))
    : undefined;
  const parts = [
    preview?.text as string | undefined,
    errors.length > 0 && formatFirst(errors),
    summary,
    refusedFile && `The refused rows with their reasons: ${refusedFile}`,
    withoutId > 0 && `Rows without a vendor_lead_id: ${withoutId}. Imported again, they are stored again.`,
  ];
  return {
    data: {
      dry_run: dryRun,
      request_id: dryRun ? null : importId,
      ...counts,
      without_vendor_lead_id: withoutId,
      refused_file: refusedFile,
      errors,
      ...(preview && { preview: preview.data }),
    },
    text: parts.filter(Boolean).join("\n\n"),
    failed: refused.length > 0,
  };
}

/** The parser of a vendor's rows, or that of a mapping. */
function parserOf(vendor: Row<"vendors">, map: string | undefined): Parse {
  const name = map === undefined ? vendor.parser : "mapping";
  const config = map === undefined ? vendor.parser_config : readJsonFile(map);
  checkParser(name, config);
  const parse = PARSERS.get(name ?? "");
  if (parse === undefined) {
    throw new CommandError(`${vendor.slug} has no parser: give a mapping with --map <file.json>`);
  }
  return (payload) => parse(payload, config);
}

function readRows(parse: Parse, rows: CsvRow[]): { leads: LeadRow[]; refused: Refused[] } {
  const leads: LeadRow[] = [];
  const refused: Refused[] = [];
  for (const { line, values: { [REASON]: _, ...values }, error: unread } of rows) {
    // Its cells may stand in the wrong columns. Without them, the file of refused rows is refused again here.
    if (unread !== undefined) {
      refused.push({ line, values: {}, reason: unread });
      continue;
    }
    const { data, error } = readLead(parse, values);
    if (error !== null || data === null) refused.push({ line, values, reason: error! });
    else leads.push({ line, values, lead: data.resume ? skipResume(data.lead, "bulk") : data.lead });
  }
  return { leads, refused };
}

/** Stores leads batch by batch, or all at once to roll them back. */
async function storeAll(
  { act, progress, explain }: Session,
  vendor_id: string,
  leads: LeadRow[],
  importId: string,
  distribute: boolean,
  dryRun: boolean,
  file: string,
): Promise<Result[]> {
  const results: Result[] = [];
  const size = dryRun ? leads.length : BATCH;
  for (const at of range(0, leads.length, size)) {
    const batch = leads.slice(at, at + size).map(({ lead }) => lead);
    try {
      results.push(
        ...await act(
          (transaction) =>
            valueOf<Result[]>(transaction`select public.import_recruiting_leads(
              ${vendor_id}, ${transaction.json(batch as unknown as postgres.JSONValue)}, ${importId},
              ${distribute && !dryRun})`),
          (stored: Result[]) => {
            const lead_ids = stored.filter(({ status }) => status === "created").map(({ id }) => id);
            return lead_ids.length > 0 ? { vendor_id, lead_ids } : null;
          },
          dryRun,
        ),
      );
    } catch (thrown) {
      const error = explain(thrown);
      if (at === 0 || !(error instanceof CommandError)) throw error;
      throw new CommandError(`${error.message}. The rows of ${file} up to line ${leads[at - 1]!.line} are done.`);
    }
    progress(`${results.length} of ${leads.length} rows stored`);
  }
  return results;
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.ceil((to - from) / Math.max(step, 1)) }, (_, i) => from + i * step);
}

/** Writes the refused rows beside the file that had them, and returns the path as a person would give it. */
async function writeRefused(file: string, columns: string[], refused: Refused[]): Promise<string> {
  const path = `${file.replace(/\.csv$/i, "")}.refused.csv`;
  const rows = refused.map(({ values, reason }) => ({ ...values, [REASON]: reason }));
  const names = [...columns.filter((name) => name !== REASON), REASON];
  Deno.writeTextFileSync(pathOf(path), (await Array.fromAsync(formatCsv(names, [rows]))).join(""));
  return path;
}

async function matchLeads(
  { sql }: Session,
  file: string,
  { vendor: name, csv }: { vendor: string; csv?: boolean },
): Promise<Outcome> {
  const { id: vendor_id } = await findVendor(sql, name);
  const rows = await sql`select * from public.match_leads(${vendor_id}, ${readIds(file)})`;
  const counts = Object.fromEntries(
    ["stored", "duplicate", "rejected", "unknown"].map((
      result,
    ) => [result, rows.filter((row) => row.result === result).length]),
  );
  const shows = { vendor_id };
  if (csv) return { data: null, text: formatCsv(rows.columns.map(({ name }) => name), [rows]), shows };
  const missing = rows.filter(({ result }) => result !== "stored");
  const summary = `${Object.entries(counts).map(([result, leads]) => `${leads} ${result}`).join(", ")}.`;
  return {
    data: { ...counts, leads: rows },
    text: missing.length > 0 ? `${formatFirst(missing)}\n\n${summary}` : summary,
    shows,
  };
}

/** The ids in a file: those of the column vendor_lead_id, else a line each. */
function readIds(file: string): string[] {
  if (!existsSync(pathOf(file))) throw new CommandError(`There is no file ${file}`);
  const [first, ...lines] = Deno.readTextFileSync(pathOf(file)).replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const ids = /\bvendor_lead_id\b/.test(first ?? "")
    ? readCsv(file).rows.map(({ values }) => values.vendor_lead_id ?? "")
    : [first ?? "", ...lines].map((line) => line.trim());
  return ids.filter((id) => id !== "");
}
