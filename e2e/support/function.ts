import { type ApiResponse, type Sent, stack, type Vendor, withKey } from "./client.ts";
import { readDocumented } from "./documented.ts";

/** The default export of a function's `index.ts`. */
interface EdgeFunction {
  fetch(request: Request): Response | Promise<Response>;
}

/**
 * A function that runs in the test's own process, against the stack's database: for settings of the environment that
 * the running stack does not have. Its responses are held against the OpenAPI document.
 */
export async function functionWith(
  name: "api" | "desk" | "recruiting" | "worker",
  env: Record<string, string>,
): Promise<(path: string, sent: Sent) => Promise<ApiResponse>> {
  const settings = {
    SUPABASE_URL: stack.api_url,
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: stack.secret_key }),
    SUPABASE_ANON_KEY: stack.anon_key,
    LEADS_IMPORT_API_KEY: stack.leads_import_api_key,
    LEADS_IMPORT_RATE_LIMIT: "",
    LOG_ACTIVITY_RATE_LIMIT: "",
    ...env,
  };
  for (const [variable, value] of Object.entries(settings)) Deno.env.set(variable, value);
  const { default: app }: { default: EdgeFunction } = await import(
    `../../supabase/functions/${name}/index.ts`
  );
  return async (path, { method = "POST", headers, body }) => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const request = new Request(`http://functions.internal${path}`, {
      method,
      headers,
      body: text,
    });
    return await readDocumented(method, path, await app.fetch(request));
  };
}

/** Posts one lead to the function in the test's own process. */
export async function ingestHere(vendor: Vendor, lead: object): Promise<ApiResponse> {
  const recruiting = await functionWith("recruiting", {});
  return await recruiting("/recruiting/ingest", { headers: withKey(vendor), body: lead });
}

/** Runs something, and returns what was written to the console meanwhile, as lines. */
export async function consoleOf(run: () => Promise<unknown>): Promise<string[]> {
  const { log, warn, error } = console;
  const lines: string[] = [];
  console.log = console.warn = console.error = (...texts: unknown[]) => lines.push(texts.join(" "));
  try {
    await run();
  } finally {
    Object.assign(console, { log, warn, error });
  }
  return lines;
}
