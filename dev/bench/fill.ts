import postgres from "postgres";
import type { Agency } from "./agency.ts";
import type { OwnStack } from "./stacks.ts";

/** Two years of the agency `$3`, up to the time `$2`: one row for each number from 1 to `$1`. */
const ROWS = `
  from (select array_agg(id) as agent_ids from agents where agency_id = $3) every_agent
  cross join generate_series(1, $1::integer) n
  cross join lateral (
    select
      agent_ids[1 + n % cardinality(agent_ids)] as agent_id,
      $2::timestamptz - interval '2 years' * (1 - n::float / $1) as moment,
      md5(n::text) as hash
  ) a
  cross join lateral (
    -- As the ids that begin with the time.
    select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || right(hash, 20))::uuid as timed_id
  ) b`;

/** Rows of about a week, when 1,000,000 are those of two years. */
const NEWEST = 10_000;

/**
 * Stores as many rows in each table as `count` says. Every fourth recruit went nowhere, the rest to the agency's agents
 * by turns, and the order counts them. Every conversation has a message, and every message a callback. Of the refusals
 * the newest 10,000 are open, which is as many as a vendor may have.
 */
export async function fill({ sql, db_url }: OwnStack, agency: Agency, count: number) {
  // The same for each table, so that they agree.
  const now = new Date();
  // One connection for each core.
  const connections = postgres(db_url, { max: 2, onnotice: () => {} });
  try {
    await Promise.all(
      Object.entries(inserts(agency)).map(([table, insert]) =>
        connections.begin(async (sql) => {
          // Neither foreign keys nor triggers look at these rows, so each must be as they would have left it.
          await sql`set local session_replication_role = replica`;
          // An index is made much faster at the end than row by row.
          await sql`set local maintenance_work_mem = '256MB'`;
          await sql`
            update pg_index set indisready = false, indisvalid = false
            where indrelid = ${table}::regclass`;
          await sql.unsafe(insert, [count, now, agency.agencyId]);
          await sql.unsafe(`reindex table ${table}`);
        })
      ),
    );
  } finally {
    await connections.end();
  }
  await sql`
    update recruiting_orders
    set filled = (select count(*) from recruiting_leads where order_id = ${agency.orderId})
    where id = ${agency.orderId}`;
  await sql`select private.recount_order_days()`;
  await sql`vacuum analyze`;
  await sql`checkpoint`;
}

/** What a stored row of each table is known by. */
export interface StoredRow {
  vendorLeadId: string;
  deliveryId: string;
  externalId: string;
  /** Of a sales lead. */
  leadId: string;
  /** The agent of that lead. */
  agentId: string;
  messageSid: string;
  recruitPhone: string;
}

/**
 * Some of the newest rows that {@link fill} has stored, in no order: what is sent again, called back or worked on has
 * mostly come in the last days.
 */
export async function pickRows(sql: postgres.Sql, count: number): Promise<StoredRow[]> {
  // Even ones, because those have a delivery.
  return await sql<StoredRow[]>`
    select
      'application-' || hash as "vendorLeadId", hash as "deliveryId", hash::uuid as "externalId", a.lead_id as "leadId",
      a.agent_id as "agentId", 'SM' || hash as "messageSid", '+1' || 2000000000 + n as "recruitPhone"
    from generate_series(${count - NEWEST + 2}::integer, ${count}::integer, 2) n
    cross join lateral (select md5(n::text) as hash) h
    join lead_activities a on a.id = hash::uuid
    order by hash`;
}

/** What fills each table. */
function inserts({ vendorId, orderId }: Agency): Record<string, string> {
  return {
    "recruiting_leads": `
      insert into recruiting_leads (
        id, vendor_id, vendor_lead_id, first_name, vendor_metadata, request_id, received_via, distribution, order_id,
        agency_id, agent_id, distributed_at, created_at
      )
      select
        hash::uuid, '${vendorId}', 'application-' || hash, 'Ada',
        jsonb_build_object(
          'last_name', 'Nguyen ' || n, 'email', 'recruit.' || n || '@example.com', 'phone', '+13125550142',
          'phone_raw', '(312) 555-0142', 'city', 'Chicago', 'state', 'IL', 'zip', '60614'
        ),
        hash, 'single',
        case when is_distributed then 'distributed' else 'unmatched' end,
        case when is_distributed then '${orderId}'::uuid end,
        case when is_distributed then $3::uuid end,
        case when is_distributed then agent_id end,
        case when is_distributed then moment end,
        moment
      ${ROWS}
      cross join lateral (select n % 4 <> 0 as is_distributed) c`,
    "leads": `
      insert into leads (
        id, external_id, agency_id, agent_id, first_name, last_name, phone, phone_e164,
        email, address, city, state, zip,
        language, type, created_at
      )
      select
        timed_id, hash::uuid, $3, agent_id, 'Ada', 'Nguyen ' || n, '(312) 555-0142', '+13125550142',
        'lead.' || n || '@example.com', n || ' West Division Street', 'Springfield', 'IL', '60614', 'en', 'fe', moment
      ${ROWS}`,
    "lead_metrics": `
      insert into lead_metrics (
        lead_id, presentations_started, presentations_submitted, sales, annual_premium, referrals, last_activity_at
      )
      select timed_id, 1, 1, 1, 1200, 1, moment ${ROWS}`,
    "lead_activities": `
      insert into lead_activities (id, lead_id, agent_id, type, occurred_at)
      select hash::uuid, timed_id, agent_id, 'presentation_started', moment ${ROWS}`,
    "lead_presentations": `
      insert into lead_presentations (id, lead_id, agent_id, client_submission_id, submitted_at)
      select hash::uuid, timed_id, agent_id, hash::uuid, moment ${ROWS}`,
    "lead_demographics": `
      insert into lead_demographics (lead_id, date_of_birth, occupation)
      select timed_id, date '1970-01-01', 'Teacher' ${ROWS}`,
    "lead_sales": `
      insert into lead_sales (id, presentation_id, lead_id, agent_id, product, annual_premium)
      select hash::uuid, hash::uuid, timed_id, agent_id, 'Whole life', 1200 ${ROWS}`,
    "lead_referrals": `
      insert into lead_referrals (id, presentation_id, lead_id, agent_id, first_name, phone)
      select hash::uuid, hash::uuid, timed_id, agent_id, 'Grace', '(312) 555-0143' ${ROWS}`,
    "recruiting_conversations": `
      insert into recruiting_conversations (
        id, recruiting_lead_id, agency_id, recruit_phone, service_phone, last_message_at, created_at
      )
      select hash::uuid, hash::uuid, $3, '+1' || 2000000000 + n, '+13125550100', moment, moment ${ROWS}`,
    "recruiting_messages": `
      insert into recruiting_messages (
        id, conversation_id, direction, sender_type, provider_message_id, body, status, delivered_at, created_at
      )
      select
        hash::uuid, hash::uuid, 'outbound', 'bot', 'SM' || hash, 'Hello Ada, when can we call you?', 'delivered', moment,
        moment
      ${ROWS}`,
    "recruiting_message_events": `
      insert into recruiting_message_events (id, provider_message_id, provider_status, status, received_at)
      select hash::uuid, 'SM' || hash, 'delivered', 'delivered', moment ${ROWS}`,
    "unmatched_texts": `
      insert into unmatched_texts (id, message_sid, recruit_phone, service_phone, body, received_at)
      select hash::uuid, 'MM' || hash, '+1' || 4000000000 + n, '+13125550100', 'Who is this?', moment ${ROWS}`,
    "rejected_deliveries": `
      insert into rejected_deliveries (
        id, request_id, route, vendor_id, vendor_lead_id, code, reason, payload, payload_bytes, status, received_at,
        resolved_at
      )
      select
        hash::uuid, hash, '/recruiting/ingest', '${vendorId}', 'application-' || hash, 'BAD_REQUEST', 'missing first_name',
        jsonb_build_object('vendor_lead_id', 'application-' || hash, 'email', 'recruit.' || n || '@example.com'), 90,
        case when n > $1 - 10000 then 'open' else 'dismissed' end, moment, case when n <= $1 - 10000 then moment end
      ${ROWS}`,
    "recruiting_lead_duplicates": `
      insert into recruiting_lead_duplicates (id, lead_id, vendor_id, request_id, received_at)
      select timed_id, hash::uuid, '${vendorId}', hash, moment ${ROWS}`,
    "private.idempotency_keys": `
      insert into private.idempotency_keys (scope, key, part, request_hash, result, retention, created_at)
      select
        case when is_delivery then 'delivery ' else 'ingest ' end || '${vendorId}',
        case when is_delivery then encode(sha256(hash::bytea), 'hex') else hash end,
        0, case when is_delivery then null else hash || hash end,
        jsonb_build_object('id', hash::uuid, 'status', 'created', 'distributed_to', null),
        case when is_delivery then interval '7 days' else '24 hours' end,
        $2 - interval '20 hours' * (1 - n::float / $1)
      ${ROWS}
      cross join lateral (select n % 2 = 0 as is_delivery) c`,
    "private.request_counts": `
      insert into private.request_counts (bucket, window_start, requests)
      select 'lead ' || timed_id, $2 - interval '50 minutes' * (1 - n::float / $1), 1 ${ROWS}`,
  };
}
