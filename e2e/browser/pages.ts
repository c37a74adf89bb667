import { stripTypeScriptTypes } from "node:module";
import { extname, join } from "node:path";
import { ROOT } from "../../dev/local/mod.ts";
import { stack } from "../support/client.ts";

const EXAMPLES = join(ROOT, "docs/examples");
const SUPABASE_JS = join(ROOT, "node_modules/@supabase/supabase-js/dist/umd/supabase.js");

/** The example pages, served from an origin of their own. */
export interface Pages {
  origin: string;
  stop(): Promise<void>;
}

/**
 * Serves docs/examples as a bundler's development server does: TypeScript without its types, and the one package found.
 * Only config.ts is another: it names the stack under test.
 */
export function servePages(): Pages {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const path = new URL(request.url).pathname;
    const name = path === "/" ? "index.html" : path.slice(1);
    try {
      const [type, text] = read(name);
      return new Response(text, { headers: { "content-type": type } });
    } catch {
      return new Response("Not found", { status: 404 });
    }
  });
  // Another name than the API's 127.0.0.1, so that it is another site as well.
  return { origin: `http://localhost:${server.addr.port}`, stop: () => server.shutdown() };
}

function read(name: string): [type: string, text: string] {
  if (name === "config.ts") return ["text/javascript", configOfStack()];
  if (name === "supabase-js") {
    const text = Deno.readTextFileSync(SUPABASE_JS);
    return ["text/javascript", `${text}\nexport const createClient = supabase.createClient;`];
  }
  const text = Deno.readTextFileSync(join(EXAMPLES, name));
  if (extname(name) === ".html") return ["text/html", text];
  return [
    "text/javascript",
    stripTypeScriptTypes(text).replace(`from "@supabase/supabase-js"`, `from "./supabase-js"`),
  ];
}

function configOfStack(): string {
  const config = { url: stack.api_url, publishableKey: stack.publishable_key };
  return `export const config = ${JSON.stringify(config)};`;
}
