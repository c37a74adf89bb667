import type postgres from "postgres";
import type { Agency } from "./agency.ts";
import type { StoredRow } from "./fill.ts";
import type { IngestLead } from "./ingest_lead.ts";
import { parsedRecruit, salesLeads } from "./leads.ts";

/** A database that is full of rows, and what requests to it need. */
export interface FullDatabase {
  sql: postgres.Sql;
  agency: Agency;
  ingest: IngestLead;
  /** Id of the secret of the webhook of the agency's vendor, whose slug is `bench`. */
  secretId: string;
  /** One of the newest stored rows, another one each time, so that requests do not all find the same pages. */
  anyRow(): StoredRow;
}

/** One kind of request: what the functions have the database do for it. */
export interface GrowthRequest {
  send(database: FullDatabase): PromiseLike<unknown>;
  /** What stands in the result, as JSON, when the request did what is to be measured. */
  result: string;
}

const SERVICE_PHONE = "+13125550100";
const BULK = 100;
const IMPORT = 500;
const DISTRIBUTED = '"distributed_to":{';
const newId = () => crypto.randomUUID();

/** Every kind of request that the routes take. */
export const GROWTH_REQUESTS: Record<string, GrowthRequest> = {
  "any route of vendors: identify_vendor": {
    send: ({ sql, agency }) => sql`select identify_vendor(${agency.keyHash})`,
    result: '"parser"',
  },
  "webhooks: identify_webhook": {
    send: ({ sql }) => sql`select identify_webhook('bench')`,
    result: '"scheme"',
  },
  "ingest: a new lead": { send: (database) => ingest(database, {}), result: DISTRIBUTED },
  "ingest: a duplicate": {
    send: (database) => ingest(database, { vendorLeadId: database.anyRow().vendorLeadId }),
    result: '"status":"duplicate"',
  },
  "ingest: with an Idempotency-Key": {
    send: (database) => ingest(database, { idempotencyKey: newId() }),
    result: DISTRIBUTED,
  },
  "ingest: a dry run": {
    send: ({ sql, agency }) =>
      sql`select preview_recruiting_lead(${agency.keyHash}, ${sql.json(parsedRecruit(newId()))})`,
    result: '"status":"created"',
  },
  "webhooks: a new delivery": {
    send: (database) => ingest(database, { deliveryId: newId() }),
    result: DISTRIBUTED,
  },
  "webhooks: a repeated delivery": {
    send: (database) => ingest(database, { deliveryId: database.anyRow().deliveryId }),
    result: '"status":"duplicate"',
  },
  [`ingest/bulk: ${BULK} new leads`]: {
    send: (database) => bulk(database, newId),
    result: `"created":${BULK}`,
  },
  [`ingest/bulk: ${BULK} duplicates`]: {
    send: (database) => bulk(database, () => database.anyRow().vendorLeadId),
    result: `"duplicates":${BULK}`,
  },
  [`leads/import: ${IMPORT} new leads`]: {
    send: (database) => importLeads(database, newId),
    result: '"duplicates":[]',
  },
  [`leads/import: ${IMPORT} duplicates`]: {
    send: (database) => importLeads(database, () => database.anyRow().externalId),
    result: '"imported":[]',
  },
  "log-presentation-activity": { send: (database) => logActivity(database, null), result: "{}" },
  "log-presentation-activity with a limit": {
    send: (database) => logActivity(database, 1_000),
    result: "{}",
  },
  "submit_lead_presentation": { send: submitPresentation, result: '"duplicate":false' },
  "sms/inbound: of a conversation": {
    send: (database) => receiveSms(database, database.anyRow().recruitPhone),
    result: '"received"',
  },
  "sms/inbound: without a conversation": {
    send: (database) => receiveSms(database, `+1555${Math.random().toFixed(7).slice(2)}`),
    result: '"no_conversation"',
  },
  "sms/status: of a stored message": {
    send: ({ sql, anyRow }) =>
      sql`select update_sms_status(${anyRow().messageSid}, 'delivered', null)`,
    result: '"updated"',
  },
  "sms/status: of an unknown message": {
    send: ({ sql }) => sql`select update_sms_status(${messageSid()}, 'delivered', null)`,
    result: '"ignored"',
  },
  "any rejected lead: record_rejections": { send: recordRejection, result: ":1" },
};

function ingest(
  { ingest, agency, secretId }: FullDatabase,
  { vendorLeadId, idempotencyKey, deliveryId }: {
    vendorLeadId?: string;
    idempotencyKey?: string;
    deliveryId?: string;
  },
) {
  const id = newId();
  return ingest({
    lead: { ...parsedRecruit(id), vendor_lead_id: vendorLeadId ?? id, request_id: newId() },
    key_hash: deliveryId ? null : agency.keyHash,
    ...(idempotencyKey && {
      idempotency: { key: idempotencyKey, part: 0, request_hash: "0".repeat(64) },
    }),
    ...(deliveryId && { webhook: { secret_id: secretId, delivery_id: deliveryId, part: 0 } }),
  });
}

function bulk({ sql, agency }: FullDatabase, vendorLeadId: () => string) {
  const leads = Array.from({ length: BULK }, (_, row) => ({
    ...parsedRecruit(newId()),
    vendor_lead_id: vendorLeadId(),
    row,
  }));
  return sql`
    select ingest_recruiting_lead_batch(${agency.keyHash}, ${sql.json(leads)}, null, ${newId()})`;
}

function importLeads({ sql, agency }: FullDatabase, externalId: () => string) {
  const leads = salesLeads(IMPORT)
    .map((lead, index) => ({ ...lead, index, external_id: externalId() }));
  return sql`
    select import_leads(
      ${agency.agencyId}, ${agency.agentId}, null, ${JSON.stringify(leads)}::text::json
    )`;
}

function logActivity({ sql, anyRow }: FullDatabase, perMinute: number | null) {
  const { leadId, agentId } = anyRow();
  return sql`
    select log_presentation_activity(${leadId}, ${agentId}, 'presentation_started', ${perMinute})`;
}

function submitPresentation({ sql, anyRow }: FullDatabase) {
  const { leadId, agentId } = anyRow();
  const demographics = sql.json({ occupation: "Nurse", children: 2 });
  const sale = sql.json({ product: "Whole life", annual_premium: 1200 });
  const referrals = sql.json([{ first_name: "Grace", phone: "(312) 555-0143" }]);
  // As PostgREST does for a signed-in user. The agents' users have the ids of the agents.
  return sql.begin((sql) => [
    sql`set local role authenticated`,
    sql`select set_config('request.jwt.claims', ${JSON.stringify({ sub: agentId })}, true)`,
    sql`select submit_lead_presentation(${leadId}, ${demographics}, ${sale}, ${referrals}, ${newId()})`,
  ]);
}

function receiveSms({ sql }: FullDatabase, recruitPhone: string) {
  return sql`
    select receive_sms(
      ${recruitPhone}, ${SERVICE_PHONE}, ${messageSid()}, 'Yes, please', '[]'::jsonb
    )`;
}

function recordRejection({ sql, agency }: FullDatabase) {
  const { first_name: _, ...payload } = parsedRecruit(newId());
  const rejection = {
    request_id: newId(),
    route: "/recruiting/ingest",
    vendor_id: agency.vendorId,
    vendor_lead_id: payload.vendor_lead_id,
    code: "BAD_REQUEST",
    reason: "missing first_name",
    payload,
    payload_bytes: JSON.stringify(payload).length,
  };
  return sql`select record_rejections(${JSON.stringify([rejection])}::text::json)`;
}

function messageSid(): string {
  return `SM${newId().replaceAll("-", "")}`;
}
