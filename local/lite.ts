/**
 * Auth and storage: `@supabase/lite` in a process of its own, as the launcher starts it. Its command line would serve its
 * configuration with the database's password, and log warnings that mean nothing here; this serves two prefixes.
 */
import { createApi } from "@supabase/lite/cli";
import postgres from "postgres";
import { authAdmin } from "./auth_admin.ts";

const env = (name: string) => Deno.env.get(name)!;

// After a restart of Postgres the package's connections may go on failing, so the process starts anew with it.
const sql = postgres(env("LITE_DB_URL"), {
  max: 1,
  max_lifetime: null,
  onnotice: () => {},
  onclose: () => wasReady && Deno.exit(1),
});
let wasReady = false;
while (!wasReady) {
  wasReady = await sql`select 1`.then(() => true, () => false);
  if (!wasReady) await new Promise((resolve) => setTimeout(resolve, 50));
}

const api = await createApi();
const app = await api.project.local.createApp(env("LITE_CONFIG"), { admin: false });
await app.ensureSystemSchema();
const admin = authAdmin(sql, env("LITE_JWT_SECRET"), (request) => serve(request));

// The first request of each kind makes what is missing in the database, which several at once would do to each other.
const authorization = `Bearer ${env("LITE_SERVICE_ROLE_KEY")}`;
for (const path of ["/auth/v1/health", "/storage/v1/bucket"]) {
  const response = await serve(new Request(`http://lite${path}`, { headers: { authorization } }));
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

Deno.serve({ port: Number(env("LITE_PORT")), hostname: "127.0.0.1", onListen() {} }, (request) => {
  const { pathname } = new URL(request.url);
  if (/^\/auth\/v1\/(admin|invite)(\/|$)/.test(pathname)) return admin.fetch(request);
  if (/^\/(auth|storage)\/v1(\/|$)/.test(pathname)) return serve(request);
  return new Response(null, { status: 404 });
});

async function serve(request: Request): Promise<Response> {
  return await app.server.fetch(request);
}
