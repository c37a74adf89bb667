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
  what: string;
  /** What stands in the answer, as JSON, when the request did what is to be measured. */
  answer: string;
  /** How often in a turn, so that a turn takes some 10 ms of the database or more. */
  times: number;
  send(database: FullDatabase): PromiseLike<unknown>;
}

const SERVICE_PHONE = "+13125550100";
const BULK = 100;
const IMPORT = 500;

/** Every kind of request that the routes take. */
export const GROWTH_REQUESTS: GrowthRequest[] = [
  {
    what: "any route of vendors: identify_vendor",
    answer: '"parser"',
    times: 50,
    send: ({ sql, agency }) => sql`select identify_vendor(${agency.keyHash})`,
  },
  {
    what: "webhooks: identify_webhook",
    answer: '"scheme"',
    times: 50,
    send: ({ sql }) => sql`select identify_webhook('bench')`,
  },
  {
    what: "ingest: a new lead",
    answer: '"distributed_to":{',
    times: 30,
    send: (database) => ingest(database, {}),
  },
  {
    what: "ingest: a duplicate",
    answer: '"status":"duplicate"',
    times: 30,
    send: (database) => ingest(database, { vendorLeadId: database.anyRow().vendorLeadId }),
  },
  {
    what: "ingest: with an Idempotency-Key",
    answer: '"distributed_to":{',
    times: 30,
    send: (database) => ingest(database, { idempotencyKey: crypto.randomUUID() }),
  },
  {
    what: "ingest: a dry run",
    answer: '"status":"created"',
    times: 30,
    send: ({ sql, agency }) => {
      const lead = sql.json(parsedRecruit(crypto.randomUUID()));
      return sql`select preview_recruiting_lead(${agency.keyHash}, ${lead})`;
    },
  },
  {
    what: "webhooks: a new delivery",
    answer: '"distributed_to":{',
    times: 30,
    send: (database) => ingest(database, { deliveryId: crypto.randomUUID() }),
  },
  {
    what: "webhooks: a repeated delivery",
    answer: '"status":"duplicate"',
    times: 30,
    send: (database) => ingest(database, { deliveryId: database.anyRow().deliveryId }),
  },
  {
    what: `ingest/bulk: ${BULK} new leads`,
    answer: `"created":${BULK}`,
    times: 2,
    send: (database) => bulk(database, () => crypto.randomUUID()),
  },
  {
    what: `ingest/bulk: ${BULK} duplicates`,
    answer: `"duplicates":${BULK}`,
    times: 2,
    send: (database) => bulk(database, () => database.anyRow().vendorLeadId),
  },
  {
    what: `leads/import: ${IMPORT} new leads`,
    answer: '"duplicates":[]',
    times: 1,
    send: (database) => importLeads(database, () => crypto.randomUUID()),
  },
  {
    what: `leads/import: ${IMPORT} duplicates`,
    answer: '"imported":[]',
    times: 1,
    send: (database) => importLeads(database, () => database.anyRow().externalId),
  },
  {
    what: "log-presentation-activity",
    answer: "{}",
    times: 30,
    send: (database) => logActivity(database, null),
  },
  {
    what: "log-presentation-activity with a limit",
    answer: "{}",
    times: 30,
    send: (database) => logActivity(database, 1_000),
  },
  {
    what: "submit_lead_presentation",
    answer: '"duplicate":false',
    times: 10,
    send: submitPresentation,
  },
  {
    what: "sms/inbound: of a conversation",
    answer: '"received"',
    times: 30,
    send: (database) => receiveSms(database, database.anyRow().recruitPhone),
  },
  {
    what: "sms/inbound: without a conversation",
    answer: '"no_conversation"',
    times: 30,
    send: (database) => receiveSms(database, `+1555${Math.random().toFixed(7).slice(2)}`),
  },
  {
    what: "sms/status: of a stored message",
    answer: '"updated"',
    times: 30,
    send: ({ sql, anyRow }) =>
      sql`select update_sms_status(${anyRow().messageSid}, 'delivered', null)`,
  },
  {
    what: "sms/status: of an unknown message",
    answer: '"ignored"',
    times: 30,
    send: ({ sql }) => sql`select update_sms_status(${messageSid()}, 'delivered', null)`,
  },
  {
    what: "any refused lead: record_rejections",
    answer: ":1",
    times: 20,
    send: recordRejection,
  },
];

function ingest(
  { ingest, agency, secretId }: FullDatabase,
  { vendorLeadId, idempotencyKey, deliveryId }: {
    vendorLeadId?: string;
    idempotencyKey?: string;
    deliveryId?: string;
  },
) {
  const id = crypto.randomUUID();
  const lead = {
    ...parsedRecruit(id),
    vendor_lead_id: vendorLeadId ?? id,
    request_id: crypto.randomUUID(),
  };
  const idempotency = idempotencyKey
    ? { key: idempotencyKey, part: 0, request_hash: "0".repeat(64) }
    : null;
  return ingest({
    lead,
    idempotency,
    key_hash: deliveryId ? null : agency.keyHash,
    webhook: deliveryId ? { secret_id: secretId, delivery_id: deliveryId, part: 0 } : null,
  });
}

function bulk({ sql, agency }: FullDatabase, vendorLeadId: () => string) {
  const leads = Array.from({ length: BULK }, (_, row) => ({
    ...parsedRecruit(vendorLeadId()),
    row,
  }));
  return sql`
    select ingest_recruiting_lead_batch(
      ${agency.keyHash}, ${sql.json(leads)}, null, ${crypto.randomUUID()}
    )`;
}

function importLeads({ sql, agency }: FullDatabase, externalId: () => string) {
  const leads = salesLeads(IMPORT).map((lead, index) => ({
    ...lead,
    index,
    external_id: externalId(),
  }));
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
    sql`
      select submit_lead_presentation(
        ${leadId}, ${demographics}, ${sale}, ${referrals}, ${crypto.randomUUID()}
      )`,
  ]);
}

function receiveSms({ sql }: FullDatabase, recruitPhone: string) {
  return sql`
    select receive_sms(
      ${recruitPhone}, ${SERVICE_PHONE}, ${messageSid()}, 'Yes, please', '[]'::jsonb
    )`;
}

function recordRejection({ sql, agency }: FullDatabase) {
  const { first_name: _, ...payload } = parsedRecruit(crypto.randomUUID());
  const rejection = {
    request_id: crypto.randomUUID(),
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
  return `SM${crypto.randomUUID().replaceAll("-", "")}`;
}
