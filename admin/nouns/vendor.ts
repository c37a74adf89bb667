import { Option } from "commander";
import type postgres from "postgres";
import type { Json } from "../../supabase/functions/_shared/json.ts";
import type { AdminCommand } from "../command.ts";
import { explained } from "../errors.ts";
import { findVendor, type Row } from "../find.ts";
import { AGAIN, boolean, columnsOf, duration, type Given, integer, orNone, text } from "../options.ts";
import { lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
import { formatFields } from "../table.ts";
import { save } from "../transaction.ts";
import { addKey } from "./key.ts";
import { removes } from "./remove.ts";
import { checkParser, type ParserChoice, readConfig } from "./vendor_config.ts";
import { parsePayload } from "./vendor_parse.ts";
import { previewVendor } from "./vendor_preview.ts";
import { tryUpdate } from "./vendor_try.ts";
import { addWebhook } from "./webhook.ts";

const PARSER = text("--parser <name>", "what reads its payloads; docs/parsers.md lists them");
const CONFIG = text("--config <file.json>", 'the configuration of the parser "mapping"');
const REST = {
  name: text("--name <text>", "the vendor's name for people"),
  rate_limit: orNone(
    integer("--rate-limit <number>", "the most requests in one minute, over all its keys", 1),
  ),
  has_text_consent: boolean(
    "--text-consent <true|false>",
    "whether its applicants have agreed to be texted; false unless given",
  ),
  silent_after: orNone(
    duration("--silent-after <time>", "the time without a lead after which an alert is opened"),
  ),
};
const SETTINGS = {
  parser: PARSER,
  ...REST,
  is_active: boolean("--active <true|false>", "the keys of an inactive vendor do not work"),
};

export function addVendor(program: AdminCommand): void {
  const vendor = program.noun("vendor", "sources of recruiting leads, and what reads them");
  vendor.verb("list", "every vendor, its parser, its keys and its webhook").reads(
    lists("vendor_list", {
      order: "slug",
      none: "No vendor is there yet: npm run admin -- vendor create <slug> --parser <name>",
    }),
  );

  vendor.verb("create <slug>", "a new vendor", 'acme --parser generic --name "Acme Leads"')
    .refuses((slug: string, { parser }: Given) =>
      parser === undefined &&
      `--parser: say what reads its payloads. Where no parser is named after the vendor, begin with --parser generic ` +
        `and let it send: what is refused is kept. Then make a mapping of that, by docs/parsers.md#mapping:\n` +
        `  npm run admin -- delivery list --vendor ${slug}\n` +
        `  npm run admin -- vendor update ${slug} --parser mapping --config mapping.json`
    )
    .takes(PARSER, CONFIG, ...Object.values(REST), AGAIN)
    .runs(createVendor);

  vendor.verb("update <vendor>", "changes what is given, and nothing else", "acme --active false")
    .changes({ ...SETTINGS, parser_config: CONFIG })
    .takes(AGAIN, new Option("--dry-run", "say what would change, and which refused deliveries it would read"))
    .runs(updateVendor);

  const parse = "what the vendor's parser makes of a payload, a file or the id of a rejected delivery; stores nothing";
  vendor.verb("parse <vendor> <payload>", parse, "acme payload.json")
    .alias("preview")
    .takes(PARSER, CONFIG)
    .runs(parsePayload);

  const remove = "removes a vendor that has never sent anything, with its unused keys";
  vendor.verb("remove <vendor>", remove, "acme")
    .runs(removes("vendor", ({ name }) => `npm run admin -- vendor update ${name} --active false`));

  addKey(vendor, true);
  addWebhook(vendor);
}

async function createVendor(
  session: Session,
  slug: string,
  given: Given & ParserChoice,
): Promise<Outcome> {
  const config = readConfig(given.parser, given.config);
  checkParser(given.parser, config ?? {});
  const columns = { slug, name: slug, ...columnsWith(session.sql, config, given) };
  const inserted = session.sql`insert into public.vendors ${session.sql(columns)} returning *`;
  const vendor = await explained(save<Row<"vendors">>(session, "vendor", inserted, { name: slug, ...given }, {}), {
    "23505": `There is a vendor "${slug}" already: npm run admin -- vendor update ${slug}`,
    "23514": "A slug is lower-case letters and digits in parts joined by - or _, " +
      `63 characters at most, not "${slug}"`,
  });
  const next = `Next, a key: npm run admin -- key create ${slug}`;
  return { data: vendor, text: `Created the vendor ${slug}. ${next}` };
}

async function updateVendor(
  session: Session,
  name: string,
  given: Given & ParserChoice & { dryRun?: true },
): Promise<Outcome> {
  const { sql } = session;
  const old = await findVendor(sql, name);
  const parser = given.parser ?? old.parser;
  const config = readConfig(parser, given.config);
  const parser_config = config ?? old.parser_config;
  checkParser(parser, parser_config);
  const preview = given.parser === undefined && config === undefined
    ? undefined
    : await previewVendor(sql, { ...old, parser, parser_config });
  const { dryRun = false } = given;
  const columns = columnsWith(sql, config, given);
  // A mapping may be long, and `vendor update` shows it.
  const changes = { ...columnsOf(SETTINGS, given), ...(config !== undefined && { parser_config: "set" }) };
  const updated = sql`update public.vendors set ${sql(columns)} where id = ${old.id} returning *`;
  const vendor = await save<Row<"vendors">>(session, "vendor", updated, given, { changes }, dryRun);
  if (dryRun) {
    return {
      ...withPreview(preview, await tryUpdate(session, old, vendor)),
      shows: { vendor_id: old.id, dry_run: true },
    };
  }
  const { slug, parser: reads, is_active, has_text_consent, rate_limit, silent_after } = vendor;
  const settings = formatFields({
    ...{ slug, name: vendor.name, parser: reads, active: is_active, text_consent: has_text_consent },
    ...{ requests_a_minute: rate_limit ?? "any number", silent_after: silent_after ?? "by its usual hours" },
  });
  const text = `Changed the vendor ${slug}. It takes effect within seconds.\n\n${settings}`;
  return withPreview(preview, { data: vendor, text });
}

function withPreview(preview: Outcome | undefined, { data, text }: { data: unknown; text: string }): Outcome {
  if (preview === undefined) return { data, text };
  return { data: { ...data as object, preview: preview.data }, text: `${preview.text}\n\n${text}` };
}

function columnsWith(sql: postgres.Sql, config: Json | undefined, given: Given) {
  const columns = columnsOf(SETTINGS, given);
  if (config !== undefined) columns.parser_config = sql.json(config as postgres.JSONValue);
  return columns;
}
