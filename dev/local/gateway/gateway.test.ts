/** The servers behind the gateway, and the data that it must not give out. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { createClient } from "@supabase/supabase-js";
import postgres from "postgres";
import { stack } from "../../testing/shared_stack.ts";

const sql = postgres(stack.db_url, { max: 2, onnotice: () => {} });

Deno.test.afterAll(() => sql.end());

Deno.test("the first resumes after a start may come all at once", async () => {
  const { api_key } = stack.vendors.find(({ parser }) => parser === "generic")!;
  const answers = await Promise.all(Array.from({ length: 20 }, async (_, n) => {
    const response = await fetch(`${stack.functions_url}/recruiting/ingest`, {
      method: "POST",
      headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      body: JSON.stringify({
        first_name: "A",
        vendor_lead_id: `first-${n}`,
        resume: Buffer.from("%PDF-1.4\n%%EOF\n").toString("base64"),
      }),
    });
    await response.body?.cancel();
    return response.status;
  }));
  assert.deepEqual(answers, Array(20).fill(201));
});

Deno.test("a key in apikey alone makes the role, and without a key nobody is let in", async () => {
  const rows = async (query: string, headers: Record<string, string>) => {
    const response = await fetch(`${stack.api_url}/rest/v1/vendors?select=slug${query}`, {
      headers,
    });
    return response.ok ? (await response.json()).length : (await response.text(), response.status);
  };
  assert.ok(await rows("", { apikey: stack.secret_key }) > 0);
  assert.ok(await rows(`&apikey=${stack.secret_key}`, {}) > 0);
  assert.ok(await rows("", { apikey: stack.service_role_key }) > 0);
  const secret = `Bearer ${stack.secret_key}`;
  assert.ok(await rows("", { apikey: stack.secret_key, authorization: secret }) > 0);
  const serviceRole = `Bearer ${stack.service_role_key}`;
  assert.ok(await rows("", { apikey: stack.publishable_key, authorization: serviceRole }) > 0);
  assert.equal(await rows("", { apikey: "sb_secret_wrong" }), 401);
  assert.equal(await rows("", {}), 401);
});

Deno.test("a browser on another origin may call the services", async () => {
  const preflight = await fetch(`${stack.api_url}/rest/v1/agents`, {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example",
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "apikey, content-type",
    },
  });
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-methods")!, /PATCH/);
  assert.match(preflight.headers.get("access-control-allow-headers")!, /apikey/);
  const headers = { origin: "https://app.example", apikey: stack.publishable_key };
  for (const path of ["/rest/v1/agents", "/auth/v1/settings"]) {
    const response = await fetch(stack.api_url + path, { headers });
    await response.body?.cancel();
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
  }
});

Deno.test("a method that no request object can have is refused", async () => {
  const allowed = { "/functions/v1/recruiting/ingest": "POST", "/auth/v1/user": "GET, POST, OPTIONS" };
  for (const [path, methods] of Object.entries(allowed)) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    httpRequest(stack.api_url + path, { method: "TRACE" }, resolve).on("error", reject).end();
    const { statusCode, headers } = (await promise).resume();
    assert.deepEqual([statusCode, headers.allow], [405, methods]);
  }
});

Deno.test("storage gives back every byte of a large object, and takes a file as a browser's form sends it", async () => {
  const bucket = createClient(stack.api_url, stack.secret_key).storage.from("resumes");
  const bytes = crypto.getRandomValues(new Uint8Array(65_536));
  const body = new Blob(Array.from({ length: 150 }, () => bytes), { type: "application/pdf" });
  const url = `${stack.api_url}/storage/v1/object/resumes/test/large.pdf`;
  const headers = { apikey: stack.secret_key };
  const stored = await fetch(url, { method: "POST", headers, body });
  assert.equal(stored.status, 200, await stored.text());
  const read = await (await fetch(url, { headers })).bytes();
  assert.deepEqual(read, await body.bytes());

  const file = new File(["%PDF-1.4"], "resume.pdf", { type: "application/pdf" });
  assert.equal((await bucket.upload("test/form.pdf", file)).error, null);
  const { data } = await bucket.download("test/form.pdf");
  assert.deepEqual([data!.type, await data!.text()], ["application/pdf", "%PDF-1.4"]);
});

// safe_path.test.ts has every way to write such a path.
Deno.test("nothing inside is given out, and an object's path cannot leave the storage folder", async () => {
  const apikey = `apikey: ${stack.secret_key}\r\n`;
  for (
    const path of ["/_system/info", "/auth/v1/..%2f..%2f_system/info", "http://127.0.0.1/auth/v1/../../_system/info"]
  ) {
    const response = await sendRaw(`GET ${path} HTTP/1.1`, apikey);
    assert.match(response, /^HTTP\/1\.1 4\d\d /);
    assert.doesNotMatch(response, /postgresql:|jwt_secret|supabase_lite/);
  }
  const object = "/storage/v1/object/resumes/..%2f..%2f..%2f..%2f..%2fsecrets.json";
  assert.match(await sendRaw(`GET ${object} HTTP/1.1`, apikey), /^HTTP\/1\.1 400 /);
});

Deno.test("each service logs in as a role of its own, with its own password and no superuser", async () => {
  const roles = await sql`
    select distinct usename, rolsuper from pg_stat_activity join pg_roles on rolname = usename
    where backend_type = 'client backend' and pid <> all (${await ownPids()}) order by usename`;
  assert.deepEqual([...roles], [
    { usename: "authenticator", rolsuper: false },
    { usename: "supabase_lite", rolsuper: false },
  ]);
  for (const role of ["authenticator", "supabase_lite", "supabase_realtime_admin"]) {
    const url = new URL(stack.db_url);
    url.username = role;
    const other = postgres(url.href, { max: 1, onnotice: () => {} });
    await assert.rejects(other`select 1`, { code: "28P01" });
    await other.end();
  }
});

Deno.test("nobody can sign up, in any way, and each address is confirmed by its mailbox", async () => {
  const visitor = createClient(stack.api_url, stack.publishable_key, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const email = "stranger@example.com";
  const refusals = [
    await visitor.auth.signUp({ email, password: "correct horse" }),
    await visitor.auth.signInWithOtp({ email, options: { shouldCreateUser: true } }),
    await visitor.auth.signInAnonymously(),
  ];
  for (const { error } of refusals) assert.equal(error?.status, 422, error?.message);
  const magicLink = await fetch(`${stack.api_url}/auth/v1/magiclink`, {
    method: "POST",
    headers: { apikey: stack.publishable_key, "content-type": "application/json" },
    body: JSON.stringify({ email }),
  });
  assert.equal(magicLink.status, 422, await magicLink.text());
  assert.equal((await sql`select from auth.users where email = ${email}`).length, 0);

  const settings = await fetch(`${stack.api_url}/auth/v1/settings`, {
    headers: { apikey: stack.publishable_key },
  });
  assert.partialDeepStrictEqual(await settings.json(), {
    disable_signup: true,
    mailer_autoconfirm: false,
    external: { email: true },
  });
});

Deno.test("supabase/config.toml closes sign-up for supabase start too, and keeps signing in open", () => {
  const config = Deno.readTextFileSync(new URL("../../../supabase/config.toml", import.meta.url));
  const section = (name: string) => config.split(`\n[${name}]\n`)[1]!.split("\n[", 1)[0]!;
  assert.match(section("auth"), /^enable_signup = false$/m);
  assert.doesNotMatch(section("auth.email"), /enable_signup = false/);
  assert.match(section("auth.email"), /^enable_confirmations = true$/m);
});

Deno.test("an invitation is kept as a file, and its latest link signs in once, on the page it names", async () => {
  const { auth } = createClient(stack.api_url, stack.secret_key);
  const email = "invited@example.com";
  const page = "http://localhost:5173/password.html";
  const invite = async (address = email, redirectTo = page) => {
    const { data, error } = await auth.admin.inviteUserByEmail(address.toUpperCase(), {
      data: { name: "New" },
      redirectTo,
    });
    assert.equal(error, null);
    assert.ok(data.user!.invited_at);
    assert.deepEqual(data.user!.user_metadata, { name: "New" });
    const file = stack.file.replace("stack.json", `mail/${address}.txt`);
    assert.equal(Deno.statSync(file).mode! & 0o777, 0o600);
    const mail = Deno.readTextFileSync(file);
    assert.match(mail, new RegExp(`^To: ${address}$`, "m"));
    return { id: data.user!.id, link: /http\S+verify\?\S+/.exec(mail)![0] };
  };
  const follow = async (link: string) => {
    const response = await fetch(link, { redirect: "manual" });
    await response.body?.cancel();
    return new URL(response.headers.get("location")!);
  };
  const first = await invite();
  const second = await invite();
  assert.equal(second.id, first.id);
  assert.match((await follow(first.link)).hash, /error_code=otp_expired/);
  const landed = await follow(second.link);
  assert.equal(landed.origin + landed.pathname, page);
  assert.match(landed.hash, /[#&]access_token=/);
  assert.match((await follow(second.link)).hash, /error_code=otp_expired/);
  const again = await auth.admin.inviteUserByEmail(email);
  assert.deepEqual([again.error?.status, again.error?.code], [422, "email_exists"]);
  const log = Deno.readTextFileSync(stack.file.replace("stack.json", "logs/lite.log"));
  assert.doesNotMatch(log, /verify\?|invited/);
  const elsewhere = await invite("elsewhere@example.com", "https://stranger.example/");
  assert((await follow(elsewhere.link)).href.startsWith(stack.api_url), "a link leads to no page of a stranger");

  const anon = createClient(stack.api_url, stack.publishable_key);
  assert.equal((await anon.auth.admin.listUsers()).error?.status, 403, "users are managed with the service role alone");
});

Deno.test("a body of more than 1 MiB for PostgREST is refused without the secret key, before its rest has come", async () => {
  const headers = `apikey: ${stack.publishable_key}\r\nContent-Type: application/json\r\n`;
  const announced = await sendRaw(
    "POST /rest/v1/recruiting_leads HTTP/1.1",
    `${headers}Content-Length: 31457280\r\n`,
  );
  assert.match(announced, /^HTTP\/1\.1 413 /);
  assert.match(announced, /"message":"The body is longer than 1 MiB/);
  const piece = `10000\r\n${" ".repeat(65_536)}\r\n`;
  const unannounced = await sendRaw(
    "POST /rest/v1/recruiting_leads HTTP/1.1",
    `${headers}Transfer-Encoding: chunked\r\n`,
    // The last chunk, of no bytes, never comes.
    piece.repeat(16) + "1\r\n \r\n",
  );
  assert.match(unannounced, /^HTTP\/1\.1 413 /);

  const post = async (apikey: string, bytes: number) => {
    const body = " ".repeat(bytes);
    const response = await fetch(`${stack.api_url}/rest/v1/recruiting_leads`, {
      method: "POST",
      headers: { apikey, "content-type": "application/json" },
      body,
    });
    await response.body?.cancel();
    return response.status;
  };
  assert.equal(await post(stack.publishable_key, 1_048_576), 400);
  assert.equal(await post(stack.secret_key, 1_048_577), 400);
});

/** Sends a request whose first line is written as given, and reads the whole response. */
async function sendRaw(line: string, headers = "", body = ""): Promise<string> {
  const { hostname, port } = new URL(stack.api_url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const text = `${line}\r\nHost: ${hostname}\r\n${headers}Connection: close\r\n\r\n${body}`;
  const writer = connection.writable.getWriter();
  await writer.write(new TextEncoder().encode(text));
  let response = "";
  for await (const piece of connection.readable.pipeThrough(new TextDecoderStream())) {
    response += piece;
    // A connection whose request was not read to its end stays open.
    const [, length, received] = /content-length: (\d+)\r\n[^]*?\r\n\r\n([^]*)$/i.exec(response) ?? [];
    if (received !== undefined && received.length >= Number(length)) break;
  }
  return response;
}

async function ownPids(): Promise<number[]> {
  const rows = await sql`select pid from pg_stat_activity where usename = 'postgres'`;
  return rows.map(({ pid }) => pid);
}
