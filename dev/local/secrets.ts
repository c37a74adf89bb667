import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { sign } from "hono/jwt";
import { writeFileAtomically } from "./files.ts";
import type { VendorInfo } from "./stack_info.ts";

/** The generator of each secret, for a variable that is not set. */
const GENERATORS = {
  SUPABASE_JWT_SECRET: () => random(48),
  SUPABASE_PUBLISHABLE_KEY: () => `sb_publishable_${random(24)}`,
  SUPABASE_SECRET_KEY: () => `sb_secret_${random(24)}`,
  LEADS_IMPORT_API_KEY: () => random(32),
  TWILIO_AUTH_TOKEN: () => randomBytes(16).toString("hex"),
  WORKER_KEY: () => random(32),
};

/** The roles that the services log in as. */
const ROLES = ["authenticator", "supabase_lite", "supabase_realtime_admin"] as const;

/** The contents of `<data-dir>/secrets.json`. A secret that was set is in the place of the generated one. */
export type Secrets = Record<keyof typeof GENERATORS, string> & {
  /** Password of the owner of the database. DB_PASSWORD sets it when the database is made, and not later. */
  databasePassword: string;
  /** Passwords of the roles that the services log in as. */
  rolePasswords: Record<typeof ROLES[number], string>;
  /** The last key of each vendor of the seed, by slug. Undefined until the seed has run. */
  vendorKeys?: Record<string, string>;
};

/**
 * Takes each secret from the settings, or else from `<dataDir>/secrets.json`, where it is generated the first time. A
 * blank setting counts as missing.
 *
 * @param settings by the name of the environment variable
 * @throws {Error} when a given JWT secret is too short for HS256
 */
export function loadSecrets(dataDir: string, settings: Record<string, string>): Secrets {
  const kept = readKept(dataDir);
  kept.databasePassword ??= settings.DB_PASSWORD || random(24);
  const generated = Object.fromEntries(ROLES.map((role) => [role, random(24)]));
  // An earlier version may have kept fewer.
  kept.rolePasswords = { ...generated as Secrets["rolePasswords"], ...kept.rolePasswords };
  const given: Partial<Secrets> = {};
  for (const [name, generate] of Object.entries(GENERATORS)) {
    const variable = name as keyof typeof GENERATORS;
    if (settings[variable]) given[variable] = settings[variable];
    else kept[variable] ??= generate();
  }
  if (given.SUPABASE_JWT_SECRET && given.SUPABASE_JWT_SECRET.length < 32) {
    throw new Error("SUPABASE_JWT_SECRET must have at least 32 characters");
  }
  writeKept(dataDir, kept);
  return { ...kept, ...given } as Secrets;
}

/** Remembers the vendors' keys for the next start. */
export function keepVendorKeys(dataDir: string, vendors: VendorInfo[]): void {
  const kept = readKept(dataDir);
  const vendorKeys = Object.fromEntries(vendors.map(({ slug, api_key }) => [slug, api_key]));
  writeKept(dataDir, { ...kept, vendorKeys: { ...kept.vendorKeys, ...vendorKeys } });
}

/**
 * The API key of a role as hosted projects make it: a JWT signed with HS256. Its times are fixed, so that the same
 * secret makes the same key at each start.
 */
export function roleKey(role: "anon" | "service_role", secret: string): Promise<string> {
  const issued = Date.UTC(2025, 0, 1) / 1000;
  const expires = Date.UTC(2100, 0, 1) / 1000;
  return sign({ iss: "local", role, iat: issued, exp: expires }, secret, "HS256");
}

function readKept(dataDir: string): Partial<Secrets> {
  try {
    return JSON.parse(Deno.readTextFileSync(join(dataDir, "secrets.json")));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  }
}

function writeKept(dataDir: string, kept: Partial<Secrets>): void {
  writeFileAtomically(join(dataDir, "secrets.json"), JSON.stringify(kept, null, 2));
}

function random(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}
