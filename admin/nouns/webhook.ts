import { type Command, Option } from "commander";
import type postgres from "postgres";
import { findVendor, type VendorRow, type WebhookConfig } from "../find.ts";
import { choice, integer, text } from "../options.ts";
import { explain, type Outcome, type Run, type Session } from "../outcome.ts";
import { addNoun, addVerb } from "../verb.ts";
import { schemeNamed, SCHEMES } from "./webhook_schemes.ts";
import { addWebhookSecret, countSecrets } from "./webhook_secret.ts";

/** The options of `set`, as commander names them. */
interface Settings {
  scheme: string;
  header?: string;
  algorithm?: string;
  encoding?: string;
  prefix?: string;
  signed?: string;
  timestampHeader?: string;
  toleranceSeconds?: number;
  parameter?: string;
}

export function addWebhook(parent: Command, run: Run): void {
  const webhook = addNoun(parent, "webhook", "the way in for a vendor that cannot send an API key");
  addVerb(
    webhook,
    "set <slug>",
    "how the vendor proves that a request is its own; takes the place of what was set before",
    "set acme --scheme hmac --header X-Signature --algorithm sha256",
  )
    .addOption(
      choice("--scheme <name>", "the kind of proof", Object.keys(SCHEMES)).makeOptionMandatory(),
    )
    .addOption(text("--header <name>", "hmac: has the signature; header: has the secret"))
    .addOption(choice("--algorithm <name>", "hmac", ["sha1", "sha256", "sha512"]))
    .addOption(choice("--encoding <name>", "hmac; hex unless given", ["hex", "base64"]))
    // Not by text(), because spaces count in these two.
    .addOption(new Option("--prefix <text>", "hmac, header: stands before the value in the header"))
    .addOption(
      new Option(
        "--signed <text>",
        "hmac: the signed text, such as {timestamp}.{body}; else {body}",
      ),
    )
    .addOption(
      text("--timestamp-header <name>", "hmac: has the signed time, in Unix seconds or ISO 8601"),
    )
    .addOption(
      integer(
        "--tolerance-seconds <number>",
        "hmac: how old a request may be; 300 unless given",
        1,
      ),
    )
    .addOption(text("--parameter <name>", "query: has the secret"))
    .action((slug: string, settings: Settings, command: Command) => {
      const config = readConfig(settings, command);
      return run((session) => setWebhook(session, slug, settings.scheme, config));
    });

  addVerb(
    webhook,
    "show <slug>",
    "the webhook, and what to enter in the vendor's console",
    "show acme",
  ).action((slug: string) => run((session) => showWebhook(session, slug)));

  addVerb(webhook, "off <slug>", "switches the webhook off at once", "off acme")
    .action((slug: string) => run((session) => switchOff(session, slug)));
  addWebhookSecret(webhook, run);
}

/** The configuration with what the scheme needs, and nothing that it does not take. */
function readConfig(settings: Settings, command: Command): WebhookConfig {
  const { scheme: name, timestampHeader, toleranceSeconds, ...same } = settings;
  const given: WebhookConfig = {
    ...same,
    timestamp_header: timestampHeader,
    tolerance_seconds: toleranceSeconds,
  };
  const { needs, takes } = schemeNamed(name);
  const config = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const missing = needs.find((setting) => !(setting in config));
  if (missing !== undefined) command.error(`--scheme ${name}: give the ${flag(missing)} as well`);
  const foreign = Object.keys(config).find((setting) =>
    ![...needs, ...takes].includes(setting as keyof WebhookConfig)
  );
  if (foreign !== undefined) command.error(`${flag(foreign)}: the scheme ${name} does not take it`);
  const signsTime = given.signed?.includes("{timestamp}") ?? false;
  if (signsTime !== (given.timestamp_header !== undefined)) {
    command.error("--timestamp-header and {timestamp} in --signed: give both or none");
  }
  return config;
}

function flag(setting: string): string {
  return `--${setting.replaceAll("_", "-")}`;
}

async function setWebhook(
  session: Session,
  slug: string,
  scheme: string,
  config: WebhookConfig,
): Promise<Outcome> {
  const { sql } = session;
  const { id } = await findVendor(sql, slug);
  let vendor: VendorRow | undefined;
  try {
    [vendor] = await sql<VendorRow[]>`
      update public.vendors
      set webhook_scheme = ${scheme}, webhook_config = ${sql.json(config as postgres.JSONValue)}
      where id = ${id} returning *`;
  } catch (error) {
    throw explain(error, {
      "23514":
        "A header is a name such as X-Signature, and not X-Request-Id, which is logged; --signed holds {body}, perhaps " +
        "{timestamp}, and no other { or }; --prefix is 64 characters at most; --tolerance-seconds 86400 at most; " +
        "--parameter is a name without spaces, and not dry_run",
    });
  }
  return await describe(session, vendor!);
}

async function showWebhook(session: Session, slug: string): Promise<Outcome> {
  return await describe(session, await findVendor(session.sql, slug));
}

async function describe({ sql, baseUrl }: Session, vendor: VendorRow): Promise<Outcome> {
  const { slug, webhook_scheme: name, webhook_config: config } = vendor;
  if (name === null) {
    return {
      data: { slug, scheme: null },
      text: `${slug} has no webhook: npm run vendor -- webhook set ${slug} --scheme <name>`,
    };
  }
  const url = `${baseUrl}/recruiting/webhooks/${slug}`;
  const secrets = await countSecrets(sql, vendor);
  const scheme = schemeNamed(name);
  const settings = Object.entries(config).map(([setting, value]) => `\n  ${setting}: ${value}`);
  const create = `npm run vendor -- webhook secret create ${slug}`;
  const next = {
    vendor: create,
    we: `${create} --generate`,
    either: `${create} --generate, or without --generate for one of the vendor's console`,
  }[scheme.secretFrom];
  return {
    data: { slug, scheme: name, config, url, secrets },
    text: `The webhook of ${slug}: ${name}${settings.join("")}

Enter in the vendor's console:

  ${url}

and there: ${scheme.atVendor(config)}. More in docs/connecting.md.

${
      secrets === 0
        ? `There is no secret yet, so every request gets 401: ${next}`
        : `Secrets that work: ${secrets}. See npm run vendor -- webhook secret list ${slug}`
    }`,
  };
}

async function switchOff({ sql }: Session, slug: string): Promise<Outcome> {
  const { id } = await findVendor(sql, slug);
  await sql`
    update public.vendors set webhook_scheme = null, webhook_config = '{}' where id = ${id}`;
  return {
    data: { slug, scheme: null },
    text: `The webhook of ${slug} is off. Its secrets stay, for when it is set again: ` +
      `npm run vendor -- webhook secret list ${slug}`,
  };
}
