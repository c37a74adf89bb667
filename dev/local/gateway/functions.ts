import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../paths.ts";

/** The default export of a function's `index.ts`. */
export interface EdgeFunction {
  fetch(request: Request): Response | Promise<Response>;
}

const FOLDER = join(ROOT, "supabase/functions");

/** Loads every function. When one cannot be loaded, the log says why and its requests get an error; the others work. */
export async function loadFunctions(): Promise<Map<string, EdgeFunction>> {
  const names = Array.from(Deno.readDirSync(FOLDER), ({ name }) => name)
    .filter((name) => !/^[._]/.test(name) && existsSync(join(FOLDER, name, "index.ts")));
  const loaded = await Promise.all(names.map(async (name) => {
    const url = pathToFileURL(join(FOLDER, name, "index.ts")).href;
    try {
      return [name, (await import(url)).default as EdgeFunction] as const;
    } catch (error) {
      console.error(`The function ${name} cannot be loaded.`, error);
      return [name, {
        fetch: () => failure(503, "INTERNAL_ERROR", `the function ${name} cannot be loaded`),
      }] as const;
    }
  }));
  return new Map(loaded);
}

/** Hands a request to the function with this name. */
export async function callFunction(
  functions: Map<string, EdgeFunction>,
  name: string,
  request: Request,
): Promise<Response> {
  const edgeFunction = functions.get(name);
  if (!edgeFunction) return failure(404, "NOT_FOUND", `there is no function ${name}`);
  try {
    return await edgeFunction.fetch(request);
  } catch (error) {
    console.error(`The function ${name} failed.`, error);
    return failure(500, "INTERNAL_ERROR", "the function failed");
  }
}

/** An error of the gateway's own, in the shape of the functions' errors. */
export function failure(status: number, code: string, message: string): Response {
  const requestId = crypto.randomUUID();
  return Response.json({ error: { code, message }, request_id: requestId }, {
    status,
    headers: { "x-request-id": requestId },
  });
}
