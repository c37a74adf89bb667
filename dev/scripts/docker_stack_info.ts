import type { StackInfo } from "../local/mod.ts";

/** Where `supabase status -o json` has what a StackInfo is made of. */
const STATUS = {
  api_url: "API_URL",
  db_url: "DB_URL",
  anon_key: "ANON_KEY",
  service_role_key: "SERVICE_ROLE_KEY",
  publishable_key: "PUBLISHABLE_KEY",
  secret_key: "SECRET_KEY",
  jwt_secret: "JWT_SECRET",
} as const;

/** Where `supabase/functions/.env` has the secrets. */
const SECRETS = {
  leads_import_api_key: "LEADS_IMPORT_API_KEY",
  twilio_auth_token: "TWILIO_AUTH_TOKEN",
  texting_worker_key: "TEXTING_WORKER_KEY",
} as const;

/**
 * Turns what `supabase status -o json` prints into the description of a stack, without vendors.
 *
 * @param env the variables of `supabase/functions/.env`; of several secrets separated by commas the first is taken
 * @throws {Error} naming the variable that is missing or wrong
 */
export function toStackInfo(
  status: Record<string, string | undefined>,
  env: Record<string, string | undefined>,
): Omit<StackInfo, "vendors"> {
  const info = pick(STATUS, status, "supabase status -o json");
  const functions_url = `${info.api_url}/functions/v1`;
  const secrets = pick(SECRETS, env, "supabase/functions/.env");
  // Inside its container a function knows another address than the caller, and Twilio signs the caller's.
  if (env.PUBLIC_FUNCTIONS_URL !== functions_url) {
    throw new Error(`Set PUBLIC_FUNCTIONS_URL=${functions_url} in supabase/functions/.env`);
  }
  return { ...info, functions_url, ...secrets };
}

function pick<Field extends string>(
  names: Record<Field, string>,
  values: Record<string, string | undefined>,
  source: string,
): Record<Field, string> {
  const entries = Object.entries<string>(names).map(([field, name]) => {
    if (!values[name]) throw new Error(`There is no ${name} in ${source}`);
    return [field, values[name].split(",")[0]!.trim()];
  });
  return Object.fromEntries(entries);
}
