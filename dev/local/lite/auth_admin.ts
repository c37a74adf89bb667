import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { jwt, type JwtVariables } from "hono/jwt";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type postgres from "postgres";
import { z } from "zod";

const Metadata = z.record(z.string(), z.json());

/**
 * The attributes of a user that may be set. Supabase Auth knows more, which is refused here rather than passed over.
 */
const Attributes = z.strictObject({
  email: z.email().toLowerCase(),
  password: z.string().min(6),
  email_confirm: z.boolean(),
  user_metadata: Metadata,
  app_metadata: Metadata,
}).partial();
type Attributes = z.infer<typeof Attributes>;

const EMAIL_EXISTS = "This email address or phone is taken";

/**
 * The part of the Auth API behind `supabase.auth.admin` that the product and its tests use and `@supabase/lite` lacks:
 * users with an e-mail address are created, read, changed and invited. A user is invited again until the link was used.
 * Shapes and error codes are those of Supabase Auth. Only the service role is let in.
 *
 * @param sendToAuth reaches the other routes of Auth, one of which sends the e-mail of an invitation
 */
export function authAdmin(
  sql: postgres.Sql,
  jwtSecret: string,
  sendToAuth: (request: Request) => Promise<Response>,
) {
  const app = new Hono<{ Variables: JwtVariables<{ role?: string }> }>().basePath("/auth/v1");

  app.use(jwt({ secret: jwtSecret, alg: "HS256" }));
  app.use(async (c, next) => {
    if (c.get("jwtPayload").role !== "service_role") fail(403, "not_admin", "User not allowed");
    await next();
  });

  app.post("/admin/users", async (c) => {
    const attributes = readAttributes(await c.req.json());
    if (!attributes.email) {
      fail(400, "validation_failed", "The local stack creates users with an email only");
    }
    return c.json(await createUser(sql, attributes));
  });

  app.get("/admin/users/:id", async (c) => c.json(await readUser(sql, c.req.param("id"))));

  app.put("/admin/users/:id", async (c) => {
    const { id } = await readUser(sql, c.req.param("id"));
    const attributes = readAttributes(await c.req.json());
    await sql.begin((sql) => writeAttributes(sql, id, attributes));
    return c.json(await readUser(sql, id));
  });

  app.post("/invite", async (c) => {
    const { email, data } = await c.req.json();
    const attributes = readAttributes({ email, user_metadata: data ?? {} });
    const [known] = await sql`
      ${selectUsers(sql)} where lower(users.email) = ${attributes.email ?? ""}`;
    if (known?.email_confirmed_at != null) fail(422, "email_exists", EMAIL_EXISTS);
    const { id } = known ?? await createUser(sql, attributes);
    await sql`update auth.users set invited_at = now() where id = ${id}`;
    await sendToAuth(
      new Request(new URL("/auth/v1/recover", c.req.url), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: attributes.email }),
      }),
    );
    return c.json(await readUser(sql, id));
  });

  app.notFound(() => errorResponse(404, "not_found", "The local stack does not have this route"));
  app.onError((error) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (error instanceof SyntaxError) return errorResponse(400, "bad_json", error.message);
    if ((error as postgres.PostgresError).code === "23505") {
      return errorResponse(422, "email_exists", EMAIL_EXISTS);
    }
    console.error("The Auth admin API failed.", error);
    return errorResponse(500, "unexpected_failure", "Unexpected failure");
  });
  return app;
}

function readAttributes(body: unknown): Attributes {
  const { data, error } = Attributes.safeParse(body);
  return data ?? fail(400, "validation_failed", z.prettifyError(error!));
}

async function createUser(sql: postgres.Sql, attributes: Attributes) {
  const id = crypto.randomUUID();
  await sql.begin(async (sql) => {
    await sql`insert into auth.users (id) values (${id})`;
    await writeAttributes(sql, id, {
      ...attributes,
      app_metadata: { provider: "email", providers: ["email"], ...attributes.app_metadata },
    });
  });
  return await readUser(sql, id);
}

/** Sets what is given. Metadata is merged key by key. */
async function writeAttributes(sql: postgres.TransactionSql, id: string, attributes: Attributes) {
  const { email = null, password = null, email_confirm = false } = attributes;
  const { user_metadata = {}, app_metadata = {} } = attributes;
  await sql`
    update auth.users set
      email = coalesce(${email}, email),
      encrypted_password =
        coalesce(extensions.crypt(${password}, extensions.gen_salt('bf', 10)), encrypted_password),
      email_confirmed_at =
        coalesce(email_confirmed_at, case when ${email_confirm} then now() end),
      raw_user_meta_data = raw_user_meta_data || ${sql.json(user_metadata)},
      raw_app_meta_data = raw_app_meta_data || ${sql.json(app_metadata)},
      updated_at = now()
    where id = ${id}`;
  await sql`
    insert into auth.identities (id, provider, provider_id, user_id, identity_data)
    select gen_random_uuid(), 'email', id, id, jsonb_build_object(
      'sub', id, 'email', email, 'email_verified', email_confirmed_at is not null, 'phone_verified', false)
    from auth.users
    where id = ${id} and email is not null
    on conflict (provider, provider_id) do update
      set identity_data = identities.identity_data || excluded.identity_data, updated_at = now()`;
}

async function readUser(sql: postgres.Sql, id: string) {
  const isUuid = z.guid().safeParse(id).success;
  const [user] = isUuid ? await sql`${selectUsers(sql)} where users.id = ${id}` : [];
  return user ?? fail(404, "user_not_found", "User not found");
}

function selectUsers(sql: postgres.Sql) {
  return sql`
    select
      id, aud, role, coalesce(email, '') as email, coalesce(phone, '') as phone,
      email_confirmed_at, phone_confirmed_at, confirmed_at, invited_at, last_sign_in_at, banned_until,
      raw_app_meta_data as app_metadata, raw_user_meta_data as user_metadata,
      coalesce((
        select jsonb_agg(to_jsonb(identities) || jsonb_build_object('identity_id', id, 'id', user_id))
        from auth.identities where user_id = users.id
      ), '[]') as identities,
      created_at, updated_at, is_anonymous
    from auth.users`;
}

function fail(status: ContentfulStatusCode, code: string, message: string): never {
  throw new HTTPException(status, { res: errorResponse(status, code, message) });
}

function errorResponse(status: number, code: string, message: string): Response {
  return Response.json({ code: status, error_code: code, msg: message }, { status });
}
