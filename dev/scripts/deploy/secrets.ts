import type { SupabaseCli } from "./supabase_cli.ts";

/** The secrets that the functions need, and what refuses everybody without them. */
const NEEDED = {
  LEADS_IMPORT_API_KEY: "POST /api/leads/import",
  TWILIO_AUTH_TOKEN: "each SMS webhook",
};

/** Without these no text is sent, and nothing else changes. */
const NEEDED_TO_TEXT = [
  "WORKER_KEY",
  "TWILIO_ACCOUNT_SID",
  "TWILIO_API_KEY",
  "TWILIO_API_SECRET",
];

/**
 * Sees to it that the project has the secrets its functions need. Only names are read and printed.
 *
 * @param allowMissing go on where one is missing
 * @throws {Error} with the command that sets what is missing
 */
export async function requireSecrets(cli: SupabaseCli, allowMissing: boolean): Promise<void> {
  const present = await cli.secretNames();
  for (const [name, use] of Object.entries(NEEDED)) {
    console.log(
      `  ${name.padEnd(22)} ${present.includes(name) ? "set" : `missing: ${use} needs it`}`,
    );
  }
  for (const name of NEEDED_TO_TEXT) {
    console.log(
      `  ${name.padEnd(22)} ${present.includes(name) ? "set" : "not set: for sending texts"}`,
    );
  }
  const missing = Object.keys(NEEDED).filter((name) => !present.includes(name));
  if (missing.length === 0 || allowMissing) return;
  const settings = missing.map((name) => `${name}=…`).join(" ");
  throw new Error(
    `secrets are missing. Set them: npx supabase secrets set ${cli.target} ${settings}\n` +
      "Or go on without them: --allow-missing-secrets",
  );
}
