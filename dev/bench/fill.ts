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
      md5(n::text)::uuid as id
  ) a`;

/** Rows of about a week, when 1,000,000 are those of two years. */
const NEWEST = 10_000;

/**
 * Stores so many recruits and so many sales leads. Every fourth recruit went nowhere, the rest to the agency's agents
 * by turns, and the order counts them.
 */
export async function fill({ sql, db_url }: OwnStack, agency: Agency, count: number) {
  // The same for each table, so that they agree.
  const now = new Date();
  const rows = Object.entries(inserts(agency)).map(([table, insert]) => ({
    table,
    insert: `${insert} ${ROWS}`,
    parameters: [count, now, agency.agencyId],
  }));
  await insertAll(db_url, rows);
  await sql`
    update recruiting_orders
    set filled = (select count(*) from recruiting_leads where order_id = ${agency.orderId})
    where id = ${agency.orderId}`;
  await sql`select private.recount_order_days()`;
  await sql`vacuum analyze`;
  await sql`checkpoint`;
}

/** Many rows of a table: what follows `insert into <table>`, and the values of its parameters. */
interface Rows {
  table: string;
  insert: string;
  parameters: (number | string | Date)[];
}

/** Inserts rows without foreign keys and triggers, so each must be as these would have left it. */
export async function insertAll(dbUrl: string, tables: Rows[]) {
  // One connection for each core.
  const connections = postgres(dbUrl, { max: 2, onnotice: () => {} });
  try {
    await Promise.all(tables.map(({ table, insert, parameters }) =>
      connections.begin(async (sql) => {
        await sql`set local session_replication_role = replica`;
        // An index is made much faster at the end than row by row.
        await sql`set local maintenance_work_mem = '256MB'`;
        await sql`
          update pg_index set indisready = false, indisvalid = false
          where indrelid = ${table}::regclass`;
        await sql.unsafe(`insert into ${table} ${insert}`, parameters);
        await sql.unsafe(`reindex table ${table}`);
      })
    ));
  } finally {
    await connections.end();
  }
}

/**
 * The ids that an agency's newest leads came with, in no order: what is sent again has mostly come in the last days. A
 * recruit and a sales lead have the same.
 */
export async function newestIds(sql: postgres.Sql, agency: Agency, count: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select external_id as id from leads where agency_id = ${agency.agencyId}
    order by created_at desc limit ${Math.min(NEWEST, count)}`;
  return rows.map(({ id }) => id).sort();
}

/** The columns of each table, and what they are filled with. */
function inserts({ vendorId, orderId }: Agency): Record<string, string> {
  const ifDistributed = (value: string) => `case when n % 4 <> 0 then ${value} end`;
  return {
    recruiting_leads: `(
        id, vendor_id, vendor_lead_id, first_name, vendor_metadata, request_id, received_via, distribution, order_id,
        agency_id, agent_id, distributed_at, created_at
      )
      select
        id, '${vendorId}', id::text, 'Ada',
        jsonb_build_object(
          'last_name', 'Nguyen ' || n, 'email', 'recruit.' || n || '@example.com', 'phone', '+1312' || 2000000 + n,
          'phone_raw', '(312) 555-0142', 'city', 'Chicago', 'state', 'IL', 'zip', '60614'
        ),
        id::text, 'single', case when n % 4 <> 0 then 'distributed' else 'unmatched' end,
        ${ifDistributed(`'${orderId}'::uuid`)}, ${ifDistributed("$3::uuid")}, ${ifDistributed("agent_id")},
        ${ifDistributed("moment")}, moment`,
    leads: `(
        id, external_id, agency_id, agent_id, first_name, last_name, phone, phone_e164,
        email, address, city, state, zip,
        language, type, created_at
      )
      select
        id, id, $3, agent_id, 'Ada', 'Nguyen ' || n, '(312) 555-0142', '+13125550142',
        'lead.' || n || '@example.com', n || ' West Division Street', 'Springfield', 'IL', '60614', 'en', 'fe', moment`,
    lead_metrics: "(lead_id, last_activity_at) select id, moment",
  };
}
