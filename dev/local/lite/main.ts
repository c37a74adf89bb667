/**
 * Auth and storage: `@supabase/lite` in its own process, which the launcher starts. The package's own command would
 * also serve its configuration, with the password of the database. This serves auth and storage and nothing else.
 */
import { adaptedRequest } from "./adapted_request.ts";
import { authAdmin } from "./auth_admin.ts";
import { type Connected, Connection } from "./connected.ts";
import { withFileField } from "./form_upload.ts";
import { MailFolder } from "./mail_folder.ts";
import { signedUrlResponse } from "./signed_url.ts";
import { withStoredType } from "./stored_type.ts";

const env = (name: string) => Deno.env.get(name)!;

const mail = new MailFolder(env("LITE_MAIL_FOLDER"));
const connection = new Connection({
  url: env("LITE_DB_URL"),
  configFile: env("LITE_CONFIG"),
  serviceRoleKey: env("LITE_SERVICE_ROLE_KEY"),
  mail,
});
await connection.opened();

Deno.serve(
  { port: Number(env("LITE_PORT")), hostname: "127.0.0.1", onListen() {} },
  (request) => connection.use((connected) => answer(request, connected)),
);

async function answer(request: Request, { sql, serve }: Connected): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (/^\/auth\/v1\/(admin|invite)(\/|$)/.test(pathname)) {
    const admin = authAdmin(sql, env("LITE_JWT_SECRET"), serve);
    return mail.serve(request, async (request) => await admin.fetch(request));
  }
  if (pathname.startsWith("/storage/v1/object/")) {
    const response = await withStoredType(request, await serve(await withFileField(request)), sql);
    return pathname.startsWith("/storage/v1/object/sign/") ? signedUrlResponse(request, response) : response;
  }
  if (/^\/auth\/v1(\/|$)/.test(pathname)) return mail.serve(await adaptedRequest(request), serve);
  if (/^\/storage\/v1(\/|$)/.test(pathname)) return serve(request);
  return new Response(null, { status: 404 });
}
