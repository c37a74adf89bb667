import { resolve } from "node:path";
import { ROOT } from "./paths.ts";

/** The contents of `<data-dir>/stack.json`, which describes a running stack. */
export interface StackInfo {
  /** `http://127.0.0.1:<port>`, where the gateway listens. */
  api_url: string;
  /** `<api_url>/functions/v1`: the specification's `{base_url}`. */
  functions_url: string;
  /** Connection string of Postgres, for the owner of everything. */
  db_url: string;
  /** HS256 JWT of the role `anon`. */
  anon_key: string;
  /** HS256 JWT of the role `service_role`. */
  service_role_key: string;
  /** `sb_publishable_…`, which the gateway turns into `anon_key`. */
  publishable_key: string;
  /** `sb_secret_…`, which the gateway turns into `service_role_key`. */
  secret_key: string;
  jwt_secret: string;
  /** The first one, if there are several. */
  leads_import_api_key: string;
  /** The first one, if there are several. */
  twilio_auth_token: string;
  /** The first one, if there are several. */
  worker_key: string;
  vendors: VendorInfo[];
}

/** A vendor of the seed that has a parser, with a key that works. */
export interface VendorInfo {
  slug: string;
  parser: string;
  api_key: string;
}

/**
 * Reads the description of a running stack.
 *
 * @param file its `stack.json`. Unless given, {@link stackInfoFile} finds it
 * @throws {Error} saying to run `npm start`, when no stack runs
 */
export function readStackInfo(file = stackInfoFile()): StackInfo {
  let text: string;
  try {
    text = Deno.readTextFileSync(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(
      `No stack is running (there is no ${file}). Start one first: npm start. ` +
        "For one in another folder: export DATA_DIR=<folder>.",
    );
  }
  return JSON.parse(text);
}

/** Path of `stack.json`: STACK_FILE, or else in the folder DATA_DIR, or else in `.local`. */
export function stackInfoFile(): string {
  return Deno.env.get("STACK_FILE") ||
    resolve(ROOT, Deno.env.get("DATA_DIR") || ".local", "stack.json");
}

/**
 * Asks the gateway for the public address of the functions, which Twilio's signature covers.
 *
 * @throws {Error} when the gateway does not answer
 */
export async function readPublicUrl(stack: StackInfo): Promise<string> {
  const response = await fetch(`${stack.api_url}/health`, { signal: AbortSignal.timeout(5_000) });
  return (await response.json()).public_functions_url;
}
