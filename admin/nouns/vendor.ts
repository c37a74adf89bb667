import type { Command } from "commander";
import type postgres from "postgres";
import { findVendor, type VendorRow } from "../find.ts";
import { boolean, text } from "../options.ts";
import { explain, type Outcome, type Run } from "../outcome.ts";
import { formatTable } from "../table.ts";
import { addNoun, addVerb, requireChange } from "../verb.ts";
import { checkParser, readConfig } from "./vendor_config.ts";
import { parsePayload } from "./vendor_parse.ts";

/** What may be set of a vendor; what is left out stays as it is. */
interface Settings {
  name?: string;
  parser?: string;
  /** Path of a JSON file with the parser's configuration. */
  config?: string;
  active?: boolean;
}

export function addVendor(parent: Command, run: Run): Command {
  const vendor = addNoun(parent, "vendor", "sources of recruiting leads, and what reads them");
  const name = () => text("--name <text>", "the vendor's name for people");
  const parser = () =>
    text("--parser <name>", "what reads its payloads; docs/parsers.md lists them");
  const config = () => text("--config <file.json>", 'the configuration of the parser "mapping"');

  addVerb(vendor, "list", "every vendor, its parser and its keys", "list")
    .action(() => run(({ sql }) => listVendors(sql)));

  addVerb(
    vendor,
    "create <slug>",
    "a new vendor",
    'create acme --parser generic --name "Acme Leads"',
  )
    .addOption(parser().makeOptionMandatory())
    .addOption(name())
    .addOption(config())
    .action((slug: string, settings: Settings) =>
      run(({ sql }) => createVendor(sql, slug, settings))
    );

  addVerb(
    vendor,
    "update <slug>",
    "changes what is given, and nothing else",
    "update acme --active false",
  )
    .addOption(parser())
    .addOption(name())
    .addOption(config())
    .addOption(boolean("--active <true|false>", "the keys of an inactive vendor do not work"))
    .action((slug: string, settings: Settings, command: Command) => {
      requireChange(settings, command);
      return run(({ sql }) => updateVendor(sql, slug, settings));
    });

  addVerb(
    vendor,
    "parse <slug> <payload.json>",
    "what the vendor's parser makes of a payload; stores nothing",
    "parse acme payload.json",
  )
    .addOption(parser())
    .addOption(config())
    .action((slug: string, file: string, settings: Settings) =>
      run(({ sql }) => parsePayload(sql, slug, file, settings))
    );
  return vendor;
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
  { parser, name = slug, config: file }: Settings,
): Promise<Outcome> {
  const config = readConfig(parser, file) ?? {};
  checkParser(parser, config);
  try {
    const [vendor] = await sql<VendorRow[]>`
      insert into public.vendors (slug, name, parser, parser_config)
      values (${slug}, ${name}, ${parser ?? null}, ${sql.json(config as postgres.JSONValue)})
      returning *`;
    return {
      data: vendor,
      text: `Created the vendor ${slug}. Next, a key: npm run vendor -- key create ${slug}`,
    };
  } catch (error) {
    throw explain(error, {
      "23505": `There is a vendor "${slug}" already: npm run vendor -- update ${slug}`,
      "23514":
        "A slug is lower-case letters and digits in parts joined by - or _, 63 characters at most, " +
        `not "${slug}"`,
    });
  }
}

async function updateVendor(
  sql: postgres.Sql,
  slug: string,
  { parser, name, config: file, active }: Settings,
): Promise<Outcome> {
  const old = await findVendor(sql, slug);
  const changed: VendorRow = {
    ...old,
    name: name ?? old.name,
    parser: parser ?? old.parser,
    parser_config: readConfig(parser ?? old.parser, file) ?? old.parser_config,
    is_active: active ?? old.is_active,
  };
  checkParser(changed.parser, changed.parser_config);
  const [vendor] = await sql<VendorRow[]>`
    update public.vendors set
      name = ${changed.name}, parser = ${changed.parser}, is_active = ${changed.is_active},
      parser_config = ${sql.json(changed.parser_config as postgres.JSONValue)}
    where id = ${old.id} returning *`;
  return { data: vendor, text: `Changed the vendor ${slug}. It takes effect within seconds.` };
}
