import { Option } from "commander";
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import type postgres from "postgres";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { CommandError } from "../errors.ts";
import { findVendor, type Row } from "../find.ts";
import { choice, futureTime, text } from "../options.ts";
import { lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
import { revokeCredential } from "./credential.ts";
import { SCHEMES } from "./webhook_schemes.ts";

/** The kinds of secrets, and what each is called in a question. */
const KINDS = { secret: "secret", verify_token: "verify token", access_token: "access token" };

type Kind = keyof typeof KINDS;

interface Settings {
  kind: Kind;
  generate?: true;
  label?: string;
  expires?: Date;
}

/** A shorter secret can be guessed. */
const MIN_LENGTH = 8;

export function addWebhookSecret(webhook: AdminCommand): void {
  const secret = webhook.noun("secret", "the secrets and tokens of a vendor's webhook");
  secret.verb("list <vendor>", "a vendor's secrets, without the secrets themselves", "acme")
    .reads((session, vendor: string) => listSecrets(session, { vendor }));

  secret
    .verb(
      "create <vendor>",
      "a new secret: the one of the vendor's console, asked for or read from stdin; or one that is made and shown once",
      'acme --generate --label "production"',
    )
    .takes(
      choice("--kind <name>", "what it is for", Object.keys(KINDS)).default("secret"),
      new Option("--generate", "make one, to enter in the vendor's console"),
      text("--label <text>", "the use of the secret"),
      futureTime("--expires <date>", "when it stops working; never, unless given"),
    )
    .runs(createSecret);

  const revoke = "stops a secret at once, named by its id, or the first 8 characters of it";
  secret.verb("revoke <vendor> <id>", revoke, "acme 5f0c2b1a")
    .runs((session, vendor: string, given: string) =>
      revokeCredential(session, "secret", vendor, given.trim().toLowerCase())
    );
}

/** The number of a vendor's secrets that prove requests now. */
export function countSecrets(sql: postgres.Sql, vendor: Row<"vendors">): Promise<number> {
  return valueOf(sql`
    select count(*)::int from public.webhook_secret_list
    where vendor_id = ${vendor.id} and kind = 'secret' and state = 'works'`);
}

const listSecrets = lists("webhook_secret_list", {
  order: "created",
  none: ({ vendor }) => `${vendor} has no secret yet: npm run admin -- vendor webhook secret create ${vendor}`,
  shown: ["id", "kind", "label", "state", "created", "expires", "revoked"],
});

async function createSecret(
  { sql, readSecret, act }: Session,
  name: string,
  { kind, generate, label, expires }: Settings,
): Promise<Outcome> {
  const { id: vendor_id, slug, webhook_scheme: scheme } = await findVendor(sql, name);
  if (scheme === null) {
    throw new CommandError(
      `${slug} has no webhook yet: npm run admin -- vendor webhook set ${slug} --scheme <name>`,
    );
  }
  const isTheirs = kind === "access_token" || kind === "secret" && SCHEMES[scheme].secretFrom === "vendor";
  if (generate && isTheirs) {
    const flag = kind === "secret" ? "" : ` --kind ${kind}`;
    throw new CommandError(
      `The ${KINDS[kind]} of ${scheme} comes from its console. Enter it without --generate: ` +
        `npm run admin -- vendor webhook secret create ${slug}${flag}`,
    );
  }
  const secret = generate ? newSecret(scheme, kind, slug) : (await readSecret(`The ${KINDS[kind]} of ${slug}?`)).trim();
  if (secret.length < MIN_LENGTH) {
    throw new CommandError(
      secret === ""
        ? "No secret was given: pipe it in, or add --generate to make one"
        : `A secret has ${MIN_LENGTH} characters at least; a shorter one can be guessed`,
    );
  }

  const id = await act(
    (transaction) =>
      valueOf<string>(transaction`
        select public.create_vendor_webhook_secret(
          ${slug}, ${kind}, ${secret}, ${label ?? null}, ${expires ?? null})`),
    (secret_id) => ({ vendor_id, secret_id }),
  );
  const shown = generate ? `, shown only this once:\n\n  ${secret}\n` : ".\n";
  return {
    data: { slug, id, kind, ...(generate && { secret }), label, expires_at: expires },
    text: `A new ${kind} for the webhook of ${slug}${shown}
${
      kind === "access_token"
        ? `Whether it can fetch leads: npm run admin -- vendor webhook check ${slug}`
        : `What to enter in the vendor's console: npm run admin -- vendor webhook show ${slug}`
    }`,
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
