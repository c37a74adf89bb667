/**
 * Auth and storage: `@supabase/lite` in its own process, which the launcher starts. The package's own command would
 * also serve its configuration, with the password of the database. This serves auth and storage and nothing else.
 */
import { createApi } from "@supabase/lite/cli";
import postgres from "postgres";
import { adaptedRequest } from "./adapted_request.ts";
import { authAdmin } from "./auth_admin.ts";
import { withFileField } from "./form_upload.ts";
import { MailFolder } from "./mail_folder.ts";
import { signedUrlResponse } from "./signed_url.ts";
import { withStoredType } from "./stored_type.ts";

const env = (name: string) => Deno.env.get(name)!;

// When Postgres restarts, the package's connections may keep failing. So this process ends with Postgres, is started
// again by the launcher, and waits until Postgres is back.
let isConnected = false;
const sql = postgres(env("LITE_DB_URL"), {
  max: 1,
  max_lifetime: null,
  onnotice: () => {},
  onclose: () => isConnected && end(),
});
while (!isConnected) {
  isConnected = await sql`select 1`.then(() => true, () => false);
  if (!isConnected) await new Promise((resolve) => setTimeout(resolve, 50));
}

// Here the package warns that its storage is experimental. That is meant for whoever would put it into production.
const { warn } = console;
console.warn = () => {};
const api = await createApi();
const app = await api.project.local.createApp(env("LITE_CONFIG"), { admin: false });
await app.ensureSystemSchema();
console.warn = warn;
const mail = new MailFolder(env("LITE_MAIL_FOLDER"));
app.drivers.email = mail;
const admin = authAdmin(sql, env("LITE_JWT_SECRET"), (request) => serve(request));

// Each service changes the database at its first request. Several first requests at once would fail, so one is made
// here, before any other can come.
const authorization = `Bearer ${env("LITE_SERVICE_ROLE_KEY")}`;
for (const path of ["/auth/v1/health", "/storage/v1/bucket"]) {
  const response = await serve(new Request(`http://lite${path}`, { headers: { authorization } }));
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

Deno.serve(
  { port: Number(env("LITE_PORT")), hostname: "127.0.0.1", onListen() {} },
  async (request) => {
    const { pathname } = new URL(request.url);
    if (/^\/auth\/v1\/(admin|invite)(\/|$)/.test(pathname)) {
      return mail.serve(request, async (request) => await admin.fetch(request));
    }
    if (pathname.startsWith("/storage/v1/object/")) {
      const response = await withStoredType(
        request,
        await serve(await withFileField(request)),
        sql,
      );
      return pathname.startsWith("/storage/v1/object/sign/") ? signedUrlResponse(request, response) : response;
    }
    if (/^\/auth\/v1(\/|$)/.test(pathname)) {
      return mail.serve(await adaptedRequest(request), serve);
    }
    if (/^\/storage\/v1(\/|$)/.test(pathname)) return serve(request);
    return new Response(null, { status: 404 });
  },
);

function end(): never {
  console.error("The connection to Postgres is lost.");
  Deno.exit(1);
}

async function serve(request: Request): Promise<Response> {
  return await app.server.fetch(request);
}
