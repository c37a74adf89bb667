import { Option } from "commander";
import type postgres from "postgres";
import type { WebhookScheme } from "../../supabase/functions/recruiting/webhooks/delivery.ts";
import type { AdminCommand } from "../command.ts";
import { explained } from "../errors.ts";
import { findVendor, type Row } from "../find.ts";
import { choice, columnsOf, type Given, integer, option, text } from "../options.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";
import { refusedProofs } from "./refused_proofs.ts";
import { addWebhookCheck } from "./webhook_check.ts";
import { SCHEMES, type WebhookConfig } from "./webhook_schemes.ts";
import { addWebhookSecret, countSecrets } from "./webhook_secret.ts";

/** The settings by their names in `vendors.webhook_config`. */
const CONFIG = {
  header: text("--header <name>", "hmac: has the signature; header: has the secret"),
  algorithm: choice("--algorithm <name>", "hmac", ["sha1", "sha256", "sha512"]),
  encoding: choice("--encoding <name>", "hmac; hex unless given", ["hex", "base64"]),
  // Not by text(), because spaces count in these two.
  prefix: new Option("--prefix <text>", "hmac, header: stands before the value in the header"),
  signed: new Option(
    "--signed <text>",
    "hmac: the signed text, such as {timestamp}.{body}; else {body}",
  ),
  timestamp_header: text(
    "--timestamp-header <name>",
    "hmac: has the signed time, in Unix seconds or ISO 8601",
  ),
  tolerance_seconds: integer(
    "--tolerance-seconds <number>",
    "hmac: how old a request may be; 300 unless given",
    1,
  ),
  parameter: text("--parameter <name>", "query: has the secret"),
  page_id: option(
    "--page-id <digits>",
    "meta: the page whose notices are taken; each page unless given",
    "a page's id, which has digits alone",
    (given) => /^[1-9]\d{0,24}$/.test(given) ? given : undefined,
  ),
};

const SCHEME = choice("--scheme <name>", "the kind of proof", Object.keys(SCHEMES));

export function addWebhook(vendor: AdminCommand): void {
  const webhook = vendor.noun("webhook", "the way in for a vendor that cannot send an API key");
  webhook
    .verb(
      "set <vendor>",
      "how the vendor proves that a request is its own; takes the place of what was set before",
      "acme --scheme hmac --header X-Signature --algorithm sha256",
    )
    .needs(SCHEME)
    .takes(...Object.values(CONFIG))
    .refuses((_slug: string, given: Given & { scheme: WebhookScheme }) =>
      problemOf(given.scheme, columnsOf(CONFIG, given))
    )
    .runs(setWebhook);

  webhook.verb("show <vendor>", "the webhook, and what to enter in the vendor's console", "acme")
    .reads(async (session, slug: string) => describe(session, await findVendor(session.sql, slug)));

  webhook.verb("off <vendor>", "switches the webhook off at once", "acme").runs(switchOff);
  addWebhookCheck(webhook);
  addWebhookSecret(webhook);
}

/** The setting that the scheme lacks, or one that it does not take. */
function problemOf(scheme: WebhookScheme, config: WebhookConfig): string | undefined {
  const { needs = [], takes = [] } = SCHEMES[scheme];
  const flag = (setting: string) => CONFIG[setting as keyof WebhookConfig].long;
  const missing = needs.find((setting) => !(setting in config));
  if (missing !== undefined) return `--scheme ${scheme}: give the ${flag(missing)} as well`;
  const known: string[] = [...needs, ...takes];
  const foreign = Object.keys(config).find((setting) => !known.includes(setting));
  if (foreign !== undefined) return `${flag(foreign)}: the scheme ${scheme} does not take it`;
  const signsTime = config.signed?.includes("{timestamp}") ?? false;
  if (signsTime !== (config.timestamp_header !== undefined)) {
    return "--timestamp-header and {timestamp} in --signed: give both or none";
  }
}

async function setWebhook(
  session: Session,
  name: string,
  given: Given & { scheme: WebhookScheme },
): Promise<Outcome> {
  const { sql, act } = session;
  const { id } = await findVendor(sql, name);
  const config = columnsOf(CONFIG, given) as postgres.JSONValue;
  const [vendor] = await explained(
    act(
      (transaction) =>
        transaction<[Row<"vendors">]>`
          update public.vendors set webhook_scheme = ${given.scheme}, webhook_config = ${sql.json(config)}
          where id = ${id} returning *`,
      { vendor_id: id, changes: { webhook_scheme: given.scheme, ...config as object } },
    ),
    {
      "23514":
        "A header is a name such as X-Signature, and not X-Request-Id, which is logged; --signed holds {body}, perhaps " +
        "{timestamp}, and no other { or }; --prefix is 64 characters at most; --tolerance-seconds 86400 at most; " +
        "--parameter is a name without spaces, and not dry_run",
    },
  );
  return await describe(session, vendor);
}

async function describe({ sql, target }: Session, vendor: Row<"vendors">): Promise<Outcome> {
  const { slug, webhook_scheme: name } = vendor;
  if (name === null) {
    return {
      data: { slug, scheme: null },
      text: `${slug} has no webhook: npm run admin -- vendor webhook set ${slug} --scheme <name>`,
    };
  }
  const config = vendor.webhook_config as WebhookConfig;
  const url = `${target.baseUrl}/recruiting/webhooks/${slug}`;
  const secrets = await countSecrets(sql, vendor);
  const refused = await refusedProofs(sql, { vendor: slug });
  const scheme = SCHEMES[name];
  const settings = Object.entries(config).map(([setting, value]) => `\n  ${setting}: ${value}`);
  const create = `npm run admin -- vendor webhook secret create ${slug}`;
  const next = {
    vendor: create,
    we: `${create} --generate`,
    either: `${create} --generate, or without --generate for one of the vendor's console`,
  }[scheme.secretFrom];
  const state = secrets === 0
    ? `There is no secret yet, so every request gets 401: ${next}`
    : `Secrets that work: ${secrets}. See npm run admin -- vendor webhook secret list ${slug}`;
  const refusals = refused.map(({ vendor: _, ...row }) => row);
  return {
    data: { slug, scheme: name, config, url, secrets, refused: refusals },
    text: `The webhook of ${slug}: ${name}${settings.join("")}

Enter in the vendor's console:

  ${url}

and there: ${scheme.atVendor(config)}. More in docs/connecting.md.

${state}${refused.length > 0 ? `\n\nRequests that got 401:\n\n${formatTable(refusals)}` : ""}`,
  };
}

async function switchOff({ sql, act }: Session, name: string): Promise<Outcome> {
  const { id, slug } = await findVendor(sql, name);
  await act(
    (transaction) =>
      transaction`update public.vendors set webhook_scheme = null, webhook_config = '{}' where id = ${id}`,
    { vendor_id: id },
  );
  return {
    data: { slug, scheme: null },
    text: `The webhook of ${slug} is off. Its secrets stay, for when it is set again: ` +
      `npm run admin -- vendor webhook secret list ${slug}`,
  };
}
