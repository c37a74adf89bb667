import type postgres from "postgres";
import { GRAPH_APP, GRAPH_TOKEN } from "../testing/graph/app.ts";
import type { Receiver } from "../testing/receiver/receiver.ts";
import {
  AGENCIES,
  GREETING,
  loginOf,
  ON_HOLIDAY,
  OPERATOR,
  type Order,
  PASSWORD,
  QUICK_REPLIES,
  SEED_ORDER,
  SILENT,
  VENDORS,
} from "./cast.ts";
import { pathOf } from "./receive.ts";
import { SCRIPT } from "./recruits.ts";

const DAY = 86_400_000;

/** Makes agencies, people, vendors, orders and destinations, and returns what each vendor signs with. */
export async function makeAgencies(sql: postgres.Sql, receiver: Receiver): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  for (const { slug, name, kind, parser, config = {}, consents } of VENDORS) {
    await sql`
      insert into public.vendors ${
      sql({
        ...{ slug, name, parser, parser_config: sql.json(config as never), has_text_consent: consents },
        webhook_scheme: kind === "key" ? null : kind,
        silent_after: slug === SILENT ? "3 minutes" : null,
      })
    }
      on conflict (slug) do update set name = excluded.name, webhook_scheme = excluded.webhook_scheme,
        has_text_consent = excluded.has_text_consent, silent_after = excluded.silent_after`;
    if (kind === "key") {
      const [created] = await sql`select public.create_vendor_api_key(${slug}, 'demo') as key`;
      keys.set(slug, created!.key);
      continue;
    }
    const secret = kind === "meta"
      ? GRAPH_APP.secret
      : kind === "standard"
      ? `whsec_${btoa(crypto.randomUUID())}`
      : crypto.randomUUID();
    await sql`select public.create_vendor_webhook_secret(${slug}, 'secret', ${secret}, 'demo')`;
    if (kind === "meta") {
      await sql`select public.create_vendor_webhook_secret(${slug}, 'access_token', ${GRAPH_TOKEN}, 'demo')`;
    }
    keys.set(slug, secret);
  }
  await sql`
    select public.create_vendor_api_key('lead-house', 'last year''s', now() + interval '5 days')`;

  // At night one sees texts, too. Nobody in Nevada may be texted, so that something is held.
  await sql`
    select public.set_texting_hours(state, day_of_week::integer, '00:00', '24:00', 'the demonstration')
    from public.texting_hours h
    where h.state is null or h.state <> 'NV' and exists (select from public.area_codes a where a.state = h.state)`;
  await sql`select public.set_texting_hours('NV', null, '00:00', '00:00', 'the demonstration')`;

  for (const { id, name, timezone, phone, people, orders, hasSystem } of AGENCIES) {
    await sql`insert into public.agencies ${sql({ id, name, timezone })} on conflict (id) do nothing`;
    await sql`insert into public.service_numbers ${sql({ phone, agency_id: id })} on conflict do nothing`;
    // The texts of 30 days leave within seconds.
    await sql`update public.service_numbers set segments_per_second = 10000 where phone = ${phone}`;
    const rows = people.map((person) => ({
      ...{ first_name: person.first, last_name: person.last, email: loginOf(person), role: person.role ?? "agent" },
      away_until: `${person.first} ${person.last}` === ON_HOLIDAY ? new Date(Date.now() + 6 * DAY) : null,
    }));
    await sql`
      with users as (
        insert into auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
          raw_user_meta_data, created_at, updated_at, confirmation_token, recovery_token, email_change,
          email_change_token_new, email_change_token_current, phone_change, phone_change_token, reauthentication_token)
        select gen_random_uuid(), 'authenticated', 'authenticated', p.email,
          extensions.crypt(${PASSWORD}, extensions.gen_salt('bf', 4)), now(),
          '{"provider": "email", "providers": ["email"]}', '{}', now(), now(), '', '', '', '', '', '', '', ''
        from unnest(${rows.map(({ email }) => email)}::text[]) p (email)
        where not exists (select from auth.users u where u.email = p.email)
        returning id, email
      ), identities as (
        insert into auth.identities (id, provider, provider_id, user_id, identity_data, created_at, updated_at)
        select gen_random_uuid(), 'email', id::text, id,
          jsonb_build_object('sub', id, 'email', email, 'email_verified', true), now(), now()
        from users
      )
      insert into public.agents (agency_id, user_id, first_name, last_name, email, role, away_until)
      select ${id}, u.id, p.* from users u
      join jsonb_to_recordset(${
      sql.json(rows)
    }) as p (first_name text, last_name text, email text, role text, away_until timestamptz)
        on p.email = u.email`;
    await asUser(sql, loginOf(people.find(({ role }) => role === "manager")!), async (sql) => {
      await sql`select public.publish_bot_script(${id}, ${sql.json(SCRIPT as never)})`;
      if (!hasSystem) return;
      await sql`select public.save_quick_reply(r.shortcut, r.body) from jsonb_each_text(${
        sql.json(QUICK_REPLIES)
      }) as r (shortcut, body)`;
    });
    if (hasSystem) {
      const [made] = await asUser(sql, OPERATOR, (sql) =>
        sql`
        select public.save_destination(${id}, 'agency-crm', ${
          sql.json({
            url: receiver.url + pathOf(id),
            events: ["lead.distributed", "lead.returned", "recruit.opted_out"],
            rejected_when: "status == `422`",
          })
        }) as destination`);
      receiver.secrets.push(made!.destination.secret);
    }
    for (const order of orders) await createOrder(sql, id, order);
  }
  await sql`select public.change_order(${SEED_ORDER}, ${
    sql.json({ quantity: 400, states: ["IL", "IN", "WI"], priority: 10, greeting_template: GREETING })
  })`;
  return keys;
}

async function createOrder(sql: postgres.Sql, agencyId: string, { vendor, settings }: Order): Promise<void> {
  const [row] = vendor ? await sql`select id from public.vendors where slug = ${vendor}` : [];
  await sql`select public.create_order(${agencyId}, ${
    sql.json({ ...settings, ...(row && { vendor_id: row.id }) } as never)
  })`;
}

/** Does something with the rights of a person who is signed in. */
export async function asUser<Result>(
  sql: postgres.Sql,
  login: string,
  act: (sql: postgres.TransactionSql) => Promise<Result>,
): Promise<Result> {
  return await sql.begin(async (sql) => {
    await sql`
      select set_config(
        'request.jwt.claims', json_build_object('sub', id, 'email', email, 'role', 'authenticated')::text, true)
      from auth.users where email = ${login}`;
    await sql`set local role authenticated`;
    return await act(sql);
  }) as Result;
}
