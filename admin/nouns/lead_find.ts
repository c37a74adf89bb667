import type postgres from "postgres";
import { idRange, phoneDigits } from "../lookup.ts";
import { list, type Outcome, type Session } from "../session.ts";

/** How many of each kind are shown. */
const LIMIT = 50;

/** What may stand between the digits of a phone number. */
const SEPARATORS = " ()-.+/";

/** Looks everywhere a lead can be: among the stored leads of both kinds, and among the rejected deliveries. */
export async function findLeads({ sql }: Session, given: string): Promise<Outcome> {
  const text = given.trim();
  const found = await Promise.all([
    sql`
      select 'recruiting' as kind, l.id, v.slug as sender, l.vendor_lead_id as sender_id,
        concat_ws(' ', l.first_name, l.last_name) as name, l.phone, l.email,
        l.distribution as state, l.created_at as received
      from public.recruiting_leads l
      join public.vendors v on v.id = l.vendor_id
      where l.vendor_lead_id = private.indexable_id(${text}) or ${isLead(sql, text, sql`l.phone`)}
      order by l.created_at desc limit ${LIMIT}`,
    sql`
      select 'sales' as kind, l.id, l.source as sender, l.external_id::text as sender_id,
        concat_ws(' ', l.first_name, l.last_name) as name, l.phone, l.email,
        l.status as state, l.created_at as received
      from public.leads l
      where l.external_id::text = ${text.toLowerCase()}
        or ${isLead(sql, text, sql`coalesce(l.phone_e164, l.phone)`)}
      order by l.created_at desc limit ${LIMIT}`,
    sql`
      select 'delivery' as kind, d.id, coalesce(v.slug, 'import') as sender, d.vendor_lead_id as sender_id,
        null as name, null as phone, null as email, d.status || ': ' || d.reason as state,
        d.received_at as received
      from public.rejected_deliveries d
      left join public.vendors v on v.id = d.vendor_id
      where d.vendor_lead_id = private.indexable_id(${text}) or ${isDelivery(sql, text)}
      order by d.received_at desc limit ${LIMIT}`,
  ]);
  const none = `Nothing is known of "${text}": it is no lead's id, sender's id, phone, e-mail ` +
    "address or name, and no rejected delivery holds it.";
  return list(found.flat(), none);
}

/** Whether a lead `l` has the text: as its name or e-mail address, its phone, or the beginning of its id. */
function isLead(sql: postgres.Sql, text: string, phone: postgres.Fragment): postgres.Fragment {
  const digits = phoneDigits(text);
  const byPhone = digits === undefined
    ? sql`false`
    : sql`right(translate(${phone}, ${SEPARATORS}, ''), ${digits.length}) = ${digits}`;
  return sql`
    ${text.toLowerCase()} in
      (lower(l.email), lower(l.first_name), lower(l.last_name), lower(concat_ws(' ', l.first_name, l.last_name)))
    or ${byPhone} or ${hasId(sql, sql`l.id`, text)}`;
}

/** Whether a delivery `d` has the text. It has no columns for what a lead has, so its payload is searched. */
function isDelivery(sql: postgres.Sql, text: string): postgres.Fragment {
  const content = sql`coalesce(d.payload::text, d.payload_text)`;
  const digits = phoneDigits(text);
  const byPhone = digits === undefined
    ? sql`false`
    : sql`strpos(translate(${content}, ${SEPARATORS}, ''), ${digits}) > 0`;
  return sql`
    strpos(lower(${content}), ${text.toLowerCase()}) > 0 or ${byPhone} or ${
    hasId(sql, sql`d.id`, text)
  }`;
}

function hasId(sql: postgres.Sql, id: postgres.Fragment, text: string): postgres.Fragment {
  const ids = idRange(text);
  return ids === undefined ? sql`false` : sql`${id} between ${ids.first} and ${ids.last}`;
}
