import { resolve } from "node:path";
import type postgres from "postgres";
import { ApiError } from "../supabase/functions/_shared/errors.ts";
import { type Json, parseJson } from "../supabase/functions/_shared/json.ts";
import { readLead } from "../supabase/functions/recruiting/ingest/lead.ts";
import { PARSER_NAMES, parserNamed } from "../supabase/functions/recruiting/parsers/index.ts";
import { configProblem } from "../supabase/functions/recruiting/parsers/mapping.ts";
import { decodePdf, type Resume } from "../supabase/functions/recruiting/ingest/resume.ts";
import { formatTable } from "./table.ts";
import type { Command, Settings } from "./vendor_args.ts";

/** What a command has to say: to a script, and to a person. */
export interface Outcome {
  data: unknown;
  text: string;
}

/** Something the user has to change; the message says what, and how. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

interface VendorRow {
  id: string;
  slug: string;
  name: string;
  parser: string | null;
  parser_config: Json;
  is_active: boolean;
}

/** How many characters of a key the database keeps to recognise it by. */
const PREFIX_LENGTH = 12;

/**
 * Carries out a command.
 *
 * @param baseUrl `{base_url}` of the project, for the example shown with a new key
 * @throws CommandError saying what to do instead
 */
export function run(sql: postgres.Sql, command: Command, baseUrl: string): Promise<Outcome> {
  switch (command.name) {
    case "list":
      return listVendors(sql);
    case "create":
      return createVendor(sql, command.slug, command.settings);
    case "update":
      return updateVendor(sql, command.slug, command.settings);
    case "key create":
      return createKey(sql, command, baseUrl);
    case "key list":
      return listKeys(sql, command.slug);
    case "key revoke":
      return revokeKey(sql, command.slug, command.key);
    case "parse":
      return parsePayload(sql, command.slug, command.file, command.settings);
  }
}

async function listVendors(sql: postgres.Sql): Promise<Outcome> {
  const vendors = await sql`
    select v.slug, v.name, v.parser, v.is_active as active,
      count(k.id) filter (
        where k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      )::int as keys,
      v.created_at as created
    from public.vendors v
    left join public.vendor_api_keys k on k.vendor_id = v.id
    group by v.id order by v.slug`;
  const none = "There is no vendor yet: npm run vendor -- create <slug> --parser <name>";
  return { data: vendors, text: vendors.length > 0 ? formatTable(vendors) : none };
}

async function createVendor(
  sql: postgres.Sql,
  slug: string,
  { parser, title = slug, configFile }: Settings,
): Promise<Outcome> {
  const config = readConfig(parser, configFile) ?? {};
  checkParser(parser, config);
  try {
    const [vendor] = await sql<VendorRow[]>`
      insert into public.vendors (slug, name, parser, parser_config)
      values (${slug}, ${title}, ${parser ?? null}, ${sql.json(config as postgres.JSONValue)})
      returning *`;
    return {
      data: vendor,
      text: `Created the vendor ${slug}. Next, a key: npm run vendor -- key create ${slug}`,
    };
  } catch (error) {
    throw explain(error, {
      "23505": `There is a vendor "${slug}" already: npm run vendor -- update ${slug}`,
      "23514":
        "A slug is lower-case letters and digits in parts joined by - or _, 63 characters at most, and a name " +
        `is not blank: "${slug}", "${title}"`,
    });
  }
}

async function updateVendor(
  sql: postgres.Sql,
  slug: string,
  { parser, title, configFile, isActive }: Settings,
): Promise<Outcome> {
  const old = await findVendor(sql, slug);
  const changed: VendorRow = {
    ...old,
    name: title ?? old.name,
    parser: parser ?? old.parser,
    parser_config: readConfig(parser ?? old.parser, configFile) ?? old.parser_config,
    is_active: isActive ?? old.is_active,
  };
  checkParser(changed.parser, changed.parser_config);
  try {
    const [vendor] = await sql<VendorRow[]>`
      update public.vendors set
        name = ${changed.name}, parser = ${changed.parser}, is_active = ${changed.is_active},
        parser_config = ${sql.json(changed.parser_config as postgres.JSONValue)}
      where id = ${old.id} returning *`;
    return { data: vendor, text: `Changed the vendor ${slug}. It takes effect within seconds.` };
  } catch (error) {
    throw explain(error, { "23514": "A name is not blank" });
  }
}

async function createKey(
  sql: postgres.Sql,
  { slug, label, expiresAt }: { slug: string; label?: string; expiresAt?: Date },
  baseUrl: string,
): Promise<Outcome> {
  await findVendor(sql, slug);
  const [made] = await sql<{ key: string }[]>`
    select public.create_vendor_api_key(${slug}, ${label ?? null}, ${expiresAt ?? null}) as key`;
  const { key } = made!;
  return {
    data: { slug, key, key_prefix: key.slice(0, PREFIX_LENGTH), label, expires_at: expiresAt },
    text: `A new key for ${slug}, shown only this once:

  ${key}

Try it on a payload; this stores nothing, and without ?dry_run=true it stores the lead:

  curl -sS '${baseUrl}/recruiting/ingest?dry_run=true' \\
    -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' --data @payload.json`,
  };
}

async function listKeys(sql: postgres.Sql, slug: string): Promise<Outcome> {
  const vendor = await findVendor(sql, slug);
  const keys = await sql`
    select k.key_prefix as key, k.label,
      case
        when k.revoked_at is not null then 'revoked'
        when k.expires_at <= now() then 'expired'
        else 'works'
      end as state,
      k.created_at as created, k.expires_at as expires, k.revoked_at as revoked
    from public.vendor_api_keys k where k.vendor_id = ${vendor.id} order by k.created_at`;
  const none = `${slug} has no key yet: npm run vendor -- key create ${slug}`;
  return { data: keys, text: keys.length > 0 ? formatTable(keys) : none };
}

async function revokeKey(sql: postgres.Sql, slug: string, key: string): Promise<Outcome> {
  const vendor = await findVendor(sql, slug);
  const prefix = key.slice(0, PREFIX_LENGTH);
  const [found] = await sql<{ is_revoked: boolean }[]>`
    select k.revoked_at is not null as is_revoked from public.vendor_api_keys k
    where k.vendor_id = ${vendor.id} and k.key_prefix = ${prefix}`;
  if (found === undefined) {
    throw new CommandError(
      `${slug} has no key that starts with "${prefix}": npm run vendor -- key list ${slug}`,
    );
  }
  if (!found.is_revoked) await sql`select public.revoke_vendor_api_key(${prefix})`;
  return {
    data: { slug, key_prefix: prefix, revoked: !found.is_revoked },
    text: found.is_revoked
      ? `${prefix}… was revoked before`
      : `Revoked ${prefix}…, which stops at once`,
  };
}

async function parsePayload(
  sql: postgres.Sql,
  slug: string,
  file: string,
  { parser, configFile }: Settings,
): Promise<Outcome> {
  const vendor = await findVendor(sql, slug);
  const name = parser ?? vendor.parser;
  const config = readConfig(name, configFile) ?? vendor.parser_config;
  checkParser(name, config);
  const parse = parserNamed(name ?? "");
  if (parse === undefined) {
    throw new CommandError(
      `${slug} has no parser: npm run vendor -- update ${slug} --parser <name>`,
    );
  }
  const read = (payload: Json) => parse(payload, config);
  const { lead, resume, reason } = readLead(read, readJsonFile(file));
  if (lead === undefined) throw new CommandError(`The lead would be refused: ${reason}`);
  const { vendor_fields, ...metadata } = lead.vendor_metadata;
  const said = resume && describeResume(resume);
  const rows = Object.entries({
    first_name: lead.first_name,
    vendor_lead_id: lead.vendor_lead_id,
    ...metadata,
    ...(said && { resume: said }),
  }).map(([field, value]) => ({ field, value }));
  const others = vendor_fields === undefined
    ? ""
    : `\n\nKept as sent (vendor_fields):\n${JSON.stringify(vendor_fields, null, 2)}`;
  return { data: { ...lead, resume: said ?? null }, text: formatTable(rows) + others };
}

function describeResume(resume: Resume): string {
  if (resume.claims !== undefined && resume.claims !== "pdf") {
    return `not stored: ${resume.claims}`;
  }
  try {
    return `a PDF of ${decodePdf(resume).length} bytes`;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new CommandError(`The lead would be refused: ${error.message}`);
  }
}

async function findVendor(sql: postgres.Sql, slug: string): Promise<VendorRow> {
  const [vendor] = await sql<VendorRow[]>`select * from public.vendors where slug = ${slug}`;
  if (vendor !== undefined) return vendor;
  throw new CommandError(
    `There is no vendor "${slug}". See npm run vendor -- list, or make one: ` +
      `npm run vendor -- create ${slug} --parser <name>`,
  );
}

/** Stops a vendor from being saved in a state in which each of its leads would be refused. */
function checkParser(parser: string | null | undefined, config: Json): void {
  if (parser === null || parser === undefined) return;
  if (!PARSER_NAMES.includes(parser)) {
    throw new CommandError(
      `There is no parser "${parser}". The parsers are: ${PARSER_NAMES.join(", ")}`,
    );
  }
  const problem = parser === "mapping" ? configProblem(config) : undefined;
  if (problem !== undefined) {
    throw new CommandError(
      `${problem}\nGive the mapping with --config <file.json>; docs/parsers.md has an example.`,
    );
  }
}

function readConfig(parser: string | null | undefined, file: string | undefined): Json | undefined {
  if (file === undefined) return undefined;
  if (parser !== "mapping") {
    throw new CommandError(`Only the parser mapping takes a --config, not ${parser ?? "none"}`);
  }
  return readJsonFile(file);
}

function readJsonFile(file: string): Json {
  try {
    // npm runs scripts in the checkout's root, whatever folder the user is in.
    return parseJson(Deno.readTextFileSync(resolve(Deno.env.get("INIT_CWD") ?? ".", file)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new CommandError(`There is no file ${file}`);
    if (error instanceof ApiError) {
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      throw new CommandError(`${file} cannot be read as JSON: ${reason}`);
    }
    throw error;
  }
}

function explain(error: unknown, messages: Record<string, string>): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = messages[code];
  return message === undefined ? error : new CommandError(message);
}
