import type postgres from "postgres";
import { idRange, phoneDigits } from "../lookup.ts";
import type { Outcome } from "../outcome.ts";
import { listed } from "../table.ts";

/** How many of each kind are shown. */
const LIMIT = 50;

/** What may stand between the digits of a phone number. */
const SEPARATORS = " ()-.+/";

/** Looks everywhere a lead can be: among the stored leads of both kinds, and among the refused deliveries. */
export async function findLeads(sql: postgres.Sql, text: string): Promise<Outcome> {
  const found = (await Promise.all([
    findRecruitingLeads(sql, text),
    findSalesLeads(sql, text),
    findDeliveries(sql, text),
  ])).flat();
  const none = `Nothing is known of "${text}": it is no lead's id, sender's id, phone, e-mail ` +
    "address or name, and no refused delivery holds it.";
  return { data: found, text: listed(found, found.length, none) };
}

function findRecruitingLeads(sql: postgres.Sql, text: string) {
  return sql`
    select 'recruiting' as kind, l.id, v.slug as sender, l.vendor_lead_id as sender_id,
      concat_ws(' ', l.first_name, l.last_name) as name, l.phone, l.email,
      l.distribution as state, l.created_at as received
    from public.recruiting_leads l
    join public.vendors v on v.id = l.vendor_id
    where ${isMeant(sql, text, sql`l.id`, sql`l.phone`)}
      or l.vendor_lead_id = private.indexable_id(${text})
      or ${text.toLowerCase()} in
        (lower(l.email), lower(l.first_name), lower(l.last_name), lower(concat_ws(' ', l.first_name, l.last_name)))
    order by l.created_at desc limit ${LIMIT}`;
}

function findSalesLeads(sql: postgres.Sql, text: string) {
  return sql`
    select 'sales' as kind, l.id, l.source as sender, l.external_id::text as sender_id,
      concat_ws(' ', l.first_name, l.last_name) as name, l.phone, l.email,
      l.status as state, l.created_at as received
    from public.leads l
    where ${isMeant(sql, text, sql`l.id`, sql`coalesce(l.phone_e164, l.phone)`)}
      or l.external_id::text = ${text.toLowerCase()}
      or ${text.toLowerCase()} in
        (lower(l.email), lower(l.first_name), lower(l.last_name), lower(concat_ws(' ', l.first_name, l.last_name)))
    order by l.created_at desc limit ${LIMIT}`;
}

/** A refused delivery has no columns for what a lead has, so its payload is searched. */
function findDeliveries(sql: postgres.Sql, text: string) {
  const content = sql`coalesce(d.payload::text, d.payload_text)`;
  const digits = phoneDigits(text);
  return sql`
    select 'delivery' as kind, d.id, coalesce(v.slug, 'import') as sender, d.vendor_lead_id as sender_id,
      null as name, null as phone, null as email, d.status || ': ' || d.reason as state,
      d.received_at as received
    from public.rejected_deliveries d
    left join public.vendors v on v.id = d.vendor_id
    where ${isMeant(sql, text, sql`d.id`)}
      or d.vendor_lead_id = private.indexable_id(${text})
      or strpos(lower(${content}), ${text.toLowerCase()}) > 0
      or ${
    digits === undefined
      ? sql`false`
      : sql`strpos(translate(${content}, ${SEPARATORS}, ''), ${digits}) > 0`
  }
    order by d.received_at desc limit ${LIMIT}`;
}

/** Whether a row is meant by the beginning of its id, or by its phone. */
function isMeant(
  sql: postgres.Sql,
  text: string,
  id: postgres.Fragment,
  phone?: postgres.Fragment,
) {
  const ids = idRange(text);
  const digits = phoneDigits(text);
  const byId = ids === undefined ? sql`false` : sql`${id} between ${ids.first} and ${ids.last}`;
  const byPhone = digits === undefined || phone === undefined
    ? sql`false`
    : sql`right(translate(${phone}, ${SEPARATORS}, ''), ${digits.length}) = ${digits}`;
  return sql`(${byId} or ${byPhone})`;
}
