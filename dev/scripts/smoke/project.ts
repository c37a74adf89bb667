import { parseEnv } from "node:util";
import { readStackInfo } from "../../local/mod.ts";
import { failure, type Result, success } from "../../../supabase/functions/_shared/result.ts";

/** The keys of a project that the checks use, by the names that they have in a keys file. */
export interface Keys {
  VENDOR_API_KEY?: string;
  SUPABASE_PUBLISHABLE_KEY?: string;
  SUPABASE_ANON_KEY?: string;
  LEADS_IMPORT_API_KEY?: string;
  AGENCY_ID?: string;
  AGENT_ID?: string;
  TWILIO_AUTH_TOKEN?: string;
  PUBLIC_FUNCTIONS_URL?: string;
}

/** A project to check. */
export interface Project {
  /** `{base_url}` */
  functionsUrl: string;
  keys: Keys;
}

/**
 * The project that the options name, or else the running local stack.
 *
 * @param keysFile path of a file with one NAME=value a line
 */
export function readProject(
  url: string | undefined,
  keysFile: string | undefined,
): Result<Project> {
  if (url === undefined && keysFile === undefined) return readLocalProject();
  if (url === undefined || keysFile === undefined) {
    return failure("Give both --url and --keys, or neither for the running local stack.");
  }
  if (!/^https?:\/\/[^/]+\/*$/.test(url)) {
    return failure("--url must be an address without a path, as in https://<ref>.supabase.co");
  }
  try {
    const keys: Keys = parseEnv(Deno.readTextFileSync(keysFile));
    return success({ functionsUrl: `${url.replace(/\/+$/, "")}/functions/v1`, keys });
  } catch (error) {
    return failure(`--keys: ${(error as Error).message}`);
  }
}

function readLocalProject(): Result<Project> {
  try {
    const stack = readStackInfo();
    const keys: Keys = {
      VENDOR_API_KEY: stack.vendors.find(({ parser }) => parser === "generic")?.api_key,
      SUPABASE_PUBLISHABLE_KEY: stack.publishable_key,
      SUPABASE_ANON_KEY: stack.anon_key,
      LEADS_IMPORT_API_KEY: stack.leads_import_api_key,
      // An agent of the seed.
      AGENCY_ID: "a0000001-0000-4000-8000-000000000001",
      AGENT_ID: "b0000002-0000-4000-8000-000000000002",
      TWILIO_AUTH_TOKEN: stack.twilio_auth_token,
      PUBLIC_FUNCTIONS_URL: Deno.env.get("PUBLIC_FUNCTIONS_URL"),
    };
    return success({ functionsUrl: stack.functions_url, keys });
  } catch (error) {
    return failure(`${(error as Error).message}\nFor a hosted project give --url and --keys.`);
  }
}
