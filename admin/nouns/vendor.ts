import type { Command } from "commander";
import type postgres from "postgres";
import type { Json } from "../../supabase/functions/_shared/json.ts";
import { findVendor, type VendorRow } from "../find.ts";
import { boolean, integer, type Nullable, orNone, text, toColumns } from "../options.ts";
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
  rateLimit?: Nullable<number>;
  textConsent?: boolean;
}

export function addVendor(parent: Command, run: Run): Command {
  const vendor = addNoun(parent, "vendor", "sources of recruiting leads, and what reads them");
  const name = () => text("--name <text>", "the vendor's name for people");
  const parser = () =>
    text("--parser <name>", "what reads its payloads; docs/parsers.md lists them");
  const config = () => text("--config <file.json>", 'the configuration of the parser "mapping"');
  const rateLimit = () =>
    orNone(
      integer("--rate-limit <number>", "the most requests in one minute, over all its keys", 1),
    );
  const textConsent = () =>
    boolean(
      "--text-consent <true|false>",
      "whether its applicants have agreed to be texted; false unless given",
    );

  addVerb(vendor, "list", "every vendor, its parser, its keys and its webhook", "list")
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
    .addOption(rateLimit())
    .addOption(textConsent())
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
    .addOption(rateLimit())
    .addOption(textConsent())
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
      v.webhook_scheme as webhook, v.rate_limit, v.has_text_consent as text_consent, v.created_at as created
    from public.vendors v
    left join public.vendor_api_keys k on k.vendor_id = v.id
    group by v.id order by v.slug`;
  const none = "There is no vendor yet: npm run vendor -- create <slug> --parser <name>";
  return { data: vendors, text: vendors.length > 0 ? formatTable(vendors) : none };
}

async function createVendor(
  sql: postgres.Sql,
  slug: string,
  settings: Settings,
): Promise<Outcome> {
  const config = readConfig(settings.parser, settings.config);
  checkParser(settings.parser, config ?? {});
  const columns = { slug, name: slug, ...columnsOf(sql, settings, config) };
  try {
    const [vendor] = await sql<VendorRow[]>`
      insert into public.vendors ${sql(columns)} returning *`;
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
  settings: Settings,
): Promise<Outcome> {
  const old = await findVendor(sql, slug);
  const parser = settings.parser ?? old.parser;
  const config = readConfig(parser, settings.config);
  checkParser(parser, config ?? old.parser_config);
  const [vendor] = await sql<VendorRow[]>`
    update public.vendors set ${sql(columnsOf(sql, settings, config))}
    where id = ${old.id} returning *`;
  return { data: vendor, text: `Changed the vendor ${slug}. It takes effect within seconds.` };
}

function columnsOf(
  sql: postgres.Sql,
  { name, parser, active, rateLimit, textConsent }: Settings,
  config: Json | undefined,
) {
  return toColumns({
    name,
    parser,
    parser_config: config === undefined ? undefined : sql.json(config as postgres.JSONValue),
    is_active: active,
    rate_limit: rateLimit,
    has_text_consent: textConsent,
  });
}
