import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import type postgres from "postgres";
import { findVendor, type VendorRow } from "../find.ts";
import { choice, futureTime, text } from "../options.ts";
import { CommandError, type Outcome, type Run, type Session } from "../outcome.ts";
import { formatTable } from "../table.ts";
import { addNoun, addVerb } from "../verb.ts";
import { schemeNamed } from "./webhook_schemes.ts";

type Kind = "secret" | "verify_token";

interface SecretSettings {
  kind: Kind;
  generate?: boolean;
  label?: string;
  expires?: Date;
}

interface SecretRow {
  id: string;
  label: string | null;
  state: "works" | "expired" | "revoked";
}

/** A shorter secret can be guessed. */
const MIN_LENGTH = 8;

export function addWebhookSecret(parent: Command, run: Run): void {
  const secret = addNoun(parent, "secret", "what a vendor's webhook requests are proved with");

  addVerb(secret, "list <slug>", "a vendor's secrets, without the secrets themselves", "list acme")
    .action((slug: string) => run(({ sql }) => listSecrets(sql, slug)));

  addVerb(
    secret,
    "create <slug>",
    "a new secret: the one of the vendor's console, asked for or read from stdin; or one that is made and shown once",
    'create acme --generate --label "production"',
  )
    .addOption(
      choice("--kind <name>", "what it is for", ["secret", "verify_token"]).default("secret"),
    )
    .option("--generate", "make one, to enter in the vendor's console")
    .addOption(text("--label <text>", "what the secret is for"))
    .addOption(futureTime("--expires <date>", "when it stops to work; never, unless given"))
    .action((slug: string, settings: SecretSettings) =>
      run((session) => createSecret(session, slug, settings))
    );

  addVerb(
    secret,
    "revoke <slug> <id>",
    "stops a secret at once, named by its id or the beginning of it",
    "revoke acme 5f0c2b1a",
  )
    .action((slug: string, id: string) => run((session) => revokeSecret(session, slug, id)));
}

/** How many secrets of a vendor prove requests now. */
export async function countSecrets(sql: postgres.Sql, vendor: VendorRow): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int from private.vendor_webhook_secrets s
    where s.vendor_id = ${vendor.id} and s.kind = 'secret' and ${stateOfSecret(sql)} = 'works'`;
  return row.count;
}

function stateOfSecret(sql: postgres.Sql) {
  return sql`
    case
      when s.revoked_at is not null then 'revoked'
      when s.expires_at <= now() then 'expired'
      else 'works'
    end`;
}

async function listSecrets(sql: postgres.Sql, slug: string): Promise<Outcome> {
  const vendor = await findVendor(sql, slug);
  const secrets = await sql`
    select s.id, s.kind, s.label, ${stateOfSecret(sql)} as state, s.created_at as created,
      s.expires_at as expires, s.revoked_at as revoked
    from private.vendor_webhook_secrets s where s.vendor_id = ${vendor.id} order by s.created_at`;
  const none = `${slug} has no secret yet: npm run vendor -- webhook secret create ${slug}`;
  return { data: secrets, text: secrets.length > 0 ? formatTable(secrets) : none };
}

async function createSecret(
  { sql, readSecret }: Session,
  slug: string,
  { kind, generate, label, expires }: SecretSettings,
): Promise<Outcome> {
  const { webhook_scheme: scheme } = await findVendor(sql, slug);
  if (scheme === null) {
    throw new CommandError(
      `${slug} has no webhook yet: npm run vendor -- webhook set ${slug} --scheme <name>`,
    );
  }
  if (generate && kind === "secret" && schemeNamed(scheme).secretFrom === "vendor") {
    throw new CommandError(
      `The secret of ${scheme} comes from its console. Enter it without --generate: ` +
        `npm run vendor -- webhook secret create ${slug}`,
    );
  }
  const secret = generate
    ? newSecret(scheme, kind, slug)
    : (await readSecret(`The ${kind === "secret" ? "secret" : "verify token"} of ${slug}?`)).trim();
  if (secret.length < MIN_LENGTH) {
    throw new CommandError(
      secret === ""
        ? "No secret was given: pipe it in, or add --generate to make one"
        : `A secret has ${MIN_LENGTH} characters at least; a shorter one can be guessed`,
    );
  }

  const id = await insertSecret(sql, slug, kind, secret, label, expires);
  const made = generate ? { secret } : {};
  const shown = generate ? `, shown only this once:\n\n  ${secret}\n` : ".\n";
  return {
    data: { slug, id, kind, ...made, label, expires_at: expires },
    text: `A new ${kind} for the webhook of ${slug}${shown}
What to enter in the vendor's console: npm run vendor -- webhook show ${slug}`,
  };
}

/** 256 random bits in the form that a scheme takes. Google's key has 50 characters at most. */
function newSecret(scheme: string, kind: Kind, slug: string): string {
  const bytes = randomBytes(32);
  const random = bytes.toString("base64url");
  if (kind === "verify_token") return random;
  if (scheme === "standard") return `whsec_${Buffer.from(bytes).toString("base64")}`;
  return scheme === "basic" ? `${slug}:${random}` : random;
}

async function insertSecret(
  sql: postgres.Sql,
  slug: string,
  kind: Kind,
  secret: string,
  label: string | undefined,
  expires: Date | undefined,
): Promise<string> {
  try {
    const [made] = await sql<[{ id: string }]>`
      select public.create_vendor_webhook_secret(
        ${slug}, ${kind}, ${secret}, ${label ?? null}, ${expires ?? null}) as id`;
    return made.id;
  } catch (error) {
    const { code, message } = error as postgres.PostgresError;
    throw code === "PT400" || code === "PT409" ? new CommandError(message) : error;
  }
}

async function revokeSecret(
  { sql, confirm }: Session,
  slug: string,
  given: string,
): Promise<Outcome> {
  const { id, state } = await findSecret(sql, slug, given);
  const outcome = { slug, id, revoked: state !== "revoked" };
  if (state === "revoked") return { data: outcome, text: `${id} was revoked before` };

  // Goes on in a script: a secret that has leaked must not wait for anybody.
  await confirm(`Revoke the secret ${id} of ${slug} for good?`, { unattended: true });
  await sql`select public.revoke_vendor_webhook_secret(${id})`;
  return { data: outcome, text: `Revoked ${id}, which stops at once` };
}

/** Finds a secret of a vendor by its id or the beginning of it. */
async function findSecret(sql: postgres.Sql, slug: string, given: string): Promise<SecretRow> {
  const vendor = await findVendor(sql, slug);
  const beginning = given.trim().toLowerCase();
  const secrets = beginning === "" ? [] : await sql<SecretRow[]>`
    select s.id, s.label, ${stateOfSecret(sql)} as state
    from private.vendor_webhook_secrets s
    where s.vendor_id = ${vendor.id} and starts_with(s.id::text, ${beginning})
    order by s.created_at`;
  const [secret, other] = secrets;
  if (secret === undefined) {
    throw new CommandError(
      `${slug} has no secret with the id "${given}": npm run vendor -- webhook secret list ${slug}`,
    );
  }
  if (other !== undefined) {
    const matches = secrets.map(({ id, label, state }) =>
      `${id} (${label === null ? state : `${label}, ${state}`})`
    );
    throw new CommandError(`"${given}" is the beginning of several ids: ${matches.join(", ")}`);
  }
  return secret;
}
