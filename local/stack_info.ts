import { resolve } from "node:path";
import { ROOT } from "./paths.ts";

/** What `<data-dir>/stack.json` says of a running stack. */
export interface StackInfo {
  /** `http://127.0.0.1:<port>`, where the gateway listens. */
  api_url: string;
  /** `<api_url>/functions/v1`: the specification's `{base_url}`. */
  functions_url: string;
  /** Connection string of Postgres, as the owner of everything. */
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
  /** Of several, the first. */
  leads_import_api_key: string;
  /** Of several, the first. */
  twilio_auth_token: string;
  vendors: VendorInfo[];
}

/** A vendor that has a parser, with a key that works. */
export interface VendorInfo {
  slug: string;
  parser: string;
  api_key: string;
}

/**
 * Reads the description of a running stack.
 *
 * @param file its `stack.json`; unless given the one that `STACK_FILE` names, or else the one in the data folder
 * @throws {Error} saying to run `npm start`, when no stack runs
 */
export function readStackInfo(file = stackInfoFile()): StackInfo {
  let text: string;
  try {
    text = Deno.readTextFileSync(file);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`No stack is running (there is no ${file}). Start one first: npm start`);
  }
  return JSON.parse(text);
}

/** Path of the `stack.json` that `STACK_FILE` names, or else of the one in the data folder. */
export function stackInfoFile(): string {
  return Deno.env.get("STACK_FILE") ||
    resolve(ROOT, Deno.env.get("DATA_DIR") || ".local", "stack.json");
}

/**
 * Asks the gateway for the functions' public address, which Twilio's signature covers.
 *
 * @throws {Error} when the gateway does not answer
 */
export async function readPublicUrl(stack: StackInfo): Promise<string> {
  const response = await fetch(`${stack.api_url}/health`, { signal: AbortSignal.timeout(5_000) });
  return (await response.json()).public_functions_url;
}
