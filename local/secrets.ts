import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { writeFileAtomically } from "./files.ts";
import { ROOT } from "./paths.ts";

/** Each secret by the environment variable that may set it, and how a missing one is made. */
export const GENERATORS = {
  SUPABASE_JWT_SECRET: () => random(48),
  SUPABASE_PUBLISHABLE_KEY: () => `sb_publishable_${random(24)}`,
  SUPABASE_SECRET_KEY: () => `sb_secret_${random(24)}`,
  LEADS_IMPORT_API_KEY: () => random(32),
  TWILIO_AUTH_TOKEN: () => randomBytes(16).toString("hex"),
};

export type Secrets = Record<keyof typeof GENERATORS, string> & {
  /** Password of the database's roles. It is bound to the cluster, so DB_PASSWORD counts at the first start alone. */
  databasePassword: string;
  /** The last key made for each vendor, by slug. */
  vendorKeys: Record<string, string>;
};

type Kept = Partial<Secrets>;

/**
 * The variables in `supabase/functions/.env`, or in the file that FUNCTIONS_ENV_FILE names; what a hosted project gets by
 * `supabase secrets set --env-file`.
 */
export function readFunctionsEnv(): Record<string, string> {
  const path = Deno.env.get("FUNCTIONS_ENV_FILE") || "supabase/functions/.env";
  try {
    return parseEnv(Deno.readTextFileSync(resolve(ROOT, path))) as Record<string, string>;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  }
}

/**
 * Takes each secret from the environment, else from `supabase/functions/.env`, else from `<dataDir>/secrets.json`,
 * where one is generated on first need. A blank value counts as missing.
 *
 * @throws {Error} when a given JWT secret is too short for HS256
 */
export function loadSecrets(dataDir: string, functionsEnv: Record<string, string>): Secrets {
  const kept = readKept(dataDir);
  kept.databasePassword ??= Deno.env.get("DB_PASSWORD") || random(24);
  kept.vendorKeys ??= {};
  const given: Kept = {};
  for (const [name, generate] of Object.entries(GENERATORS)) {
    const variable = name as keyof typeof GENERATORS;
    const value = Deno.env.get(variable) || functionsEnv[variable];
    if (value) given[variable] = value;
    else kept[variable] ??= generate();
  }
  if (given.SUPABASE_JWT_SECRET && given.SUPABASE_JWT_SECRET.length < 32) {
    throw new Error("SUPABASE_JWT_SECRET must have at least 32 characters");
  }
  writeKept(dataDir, kept);
  return { ...kept, ...given } as Secrets;
}

/** Remembers the vendors' keys for the next start. */
export function keepVendorKeys(dataDir: string, vendorKeys: Record<string, string>): void {
  writeKept(dataDir, { ...readKept(dataDir), vendorKeys });
}

function readKept(dataDir: string): Kept {
  try {
    return JSON.parse(Deno.readTextFileSync(join(dataDir, "secrets.json")));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  }
}

function writeKept(dataDir: string, kept: Kept): void {
  writeFileAtomically(join(dataDir, "secrets.json"), JSON.stringify(kept, null, 2));
}

function random(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}
