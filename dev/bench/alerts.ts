import assert from "node:assert/strict";
import type postgres from "postgres";
import { backendCpu } from "./cpu.ts";
import { insertAll } from "./fill.ts";
import { type Benchmark, inTurns, median, ratio } from "./measurement.ts";
import { startStack } from "./stacks.ts";

/** Leads of each stack: two years of them. */
const FEW = 100_000;
const MANY = 1_000_000;
/** The most that a check may cost with many leads. */
const MOST_MILLISECONDS = 50;
const MOST_GROWTH = 1.5;
/** Checks in each round. */
const CHECKS = 5;

/** The cost of the check of the alerts, each minute. */
export const alerts: Benchmark = {
  name: "alerts",
  title: "The check of all alerts, with 100,000 and 1,000,000 leads stored",
  async run() {
    const [few, many] = await Promise.all([filled(FEW), filled(MANY)]);
    const costs = await inTurns({ few: () => cost(few), many: () => cost(many) });
    const milliseconds = costs.many.map((seconds) => 1_000 * seconds);
    return [
      {
        what: "a check of all alerts, 1,000,000 leads",
        rounds: milliseconds,
        unit: "ms" as const,
        budget: { atMost: MOST_MILLISECONDS },
        detail: `${median(milliseconds).toFixed(1)} ms`,
      },
      ratio(
        "a check of all alerts, 1,000,000 leads / 100,000",
        [costs.many, costs.few],
        { atMost: MOST_GROWTH },
        (seconds) => `${(1_000 * seconds).toFixed(1)} ms`,
      ),
    ];
  },
};

/** Seconds of CPU that the server process spends on a check. */
async function cost(sql: postgres.Sql): Promise<number> {
  const clock = await backendCpu(sql);
  const before = clock();
  for (let n = 0; n < CHECKS; n++) {
    await sql`select private.check_alerts()`;
  }
  return (clock() - before) / CHECKS;
}

/** The kinds of which these data open an alert. */
const KINDS = [
  "deliveries_rejected",
  "key_expires",
  "leads_waiting",
  "order_filled",
  "order_nearly_filled",
  "recruit_waiting",
  "texts_failing",
  "vendor_silent",
];

/**
 * Starts a stack with 20 agencies of 5 agents, 50 vendors of which the first sends the most, and 300
 * orders of which each third is open. One lead in 200 waits. Each tenth lead has a conversation of four texts.
 */
async function filled(leads: number): Promise<postgres.Sql> {
  const stack = await startStack();
  const { sql } = stack;
  await sql`
    insert into agencies (id, name, timezone)
    select md5('agency ' || n)::uuid, 'Agency ' || n, 'America/Chicago' from generate_series(0, 19) n`;
  await sql`
    insert into agents (id, agency_id, first_name)
    select md5('agent ' || n)::uuid, md5('agency ' || n % 20)::uuid, 'Agent' from generate_series(0, 99) n`;
  await sql`
    insert into vendors (id, slug, name, parser, silent_after, created_at)
    select md5('vendor ' || n)::uuid, 'bench-' || n, 'Vendor', 'generic',
      case when n % 5 = 0 then interval '1 day' * (1 + n % 7) end, now() - interval '2 years'
    from generate_series(0, 50) n`;
  await sql`
    insert into vendor_api_keys (vendor_id, key_hash, key_prefix, expires_at)
    select md5('vendor ' || n)::uuid, encode(sha256(n::text::bytea), 'hex'), 'lik_', now() + n * interval '5 days'
    from generate_series(0, 50) n`;
  await sql`
    insert into recruiting_orders (id, agency_id, quantity, filled, status, created_at)
    select md5('order ' || n)::uuid, md5('agency ' || n % 20)::uuid, 100000,
      case when n % 50 = 1 then 100000 when n % 50 = 3 then 95000 else 30000 end,
      case when n % 50 = 1 then 'filled' when n % 3 = 0 then 'open' else 'closed' end, now() - interval '2 years'
    from generate_series(0, 299) n`;
  await sql`
    insert into service_numbers (phone, agency_id)
    select '+1202555' || 1000 + n, md5('agency ' || n)::uuid from generate_series(0, 19) n`;
  await insertAll(stack.db_url, tables(leads));
  await sql`
    insert into rejected_deliveries (request_id, route, vendor_id, code, reason, payload_bytes, received_at, status)
    select 'r', '/', md5('vendor ' || n % 10)::uuid, 'BAD_REQUEST', 'no name', 1, now() - n * interval '10 minutes',
      case when n % 3 = 0 then 'open' else 'dismissed' end
    from generate_series(1, 4000) n
    union all
    select 'r', '/', md5('vendor 7')::uuid, 'BAD_REQUEST', 'no name', 1, now(), 'open' from generate_series(1, 20)`;
  await sql`select private.recount_order_days()`;
  await sql`vacuum analyze`;
  await sql`checkpoint`;
  await sql`select private.check_alerts()`;
  const opened = await sql<{ kind: string }[]>`select distinct kind from alerts order by kind`;
  assert.deepEqual(opened.map(({ kind }) => kind), KINDS);
  return sql;
}

/** The rows of the large tables. The last vendor sends nothing. */
function tables(leads: number) {
  const moment = "now() - interval '2 years' * (1 - n::float / $1)";
  const parameters = [leads];
  return [
    {
      table: "recruiting_leads",
      insert: `(
          id, vendor_id, vendor_lead_id, first_name, vendor_metadata, received_via, distribution, order_id, agency_id,
          agent_id, distributed_at, created_at
        )
        select
          md5('lead ' || n)::uuid, md5('vendor ' || floor(50 * power(n * 0.6180339887 % 1, 2.4)))::uuid, n::text, 'Ada',
          jsonb_build_object(
            'last_name', 'Nguyen ' || n, 'email', 'recruit.' || n || '@example.com', 'phone', '+13125550142',
            'city', 'Chicago', 'state', 'IL', 'zip', '60614'
          ),
          'single', case when n % 200 = 0 then 'unmatched' else 'distributed' end,
          case when n % 200 > 0 then md5('order ' || n % 300)::uuid end,
          case when n % 200 > 0 then md5('agency ' || n % 300 % 20)::uuid end,
          case when n % 200 > 0 then md5('agent ' || n % 300 % 20)::uuid end,
          case when n % 200 > 0 then ${moment} end, ${moment}
        from generate_series(1, $1::integer) n`,
      parameters,
    },
    {
      table: "recruiting_conversations",
      insert: `(
          id, agency_id, recruiting_lead_id, recruit_phone, service_phone, status, assigned_agent_id, last_message_at,
          last_text_at, waiting_since, created_at
        )
        select
          md5('conversation ' || n)::uuid, md5('agency ' || n % 20)::uuid, md5('lead ' || n)::uuid,
          '+1' || 3000000000 + n, '+1202555' || 1000 + n % 20, 'escalated', md5('agent ' || n % 20)::uuid, ${moment},
          ${moment}, case when n > $1 - $1 / 12 and n / 10 % ($1 / 12000) = 0 then ${moment} end, ${moment}
        from generate_series(10, $1::integer, 10) n`,
      parameters,
    },
    {
      table: "recruiting_messages",
      insert: `(
          id, conversation_id, direction, sender_type, provider_message_id, body, status, created_at
        )
        select
          md5('text ' || n || ' ' || place)::uuid, md5('conversation ' || n)::uuid,
          case place % 2 when 0 then 'inbound' else 'outbound' end,
          case place % 2 when 0 then 'recruit' else 'agent' end,
          'SM' || md5('text ' || n || ' ' || place), 'Hello',
          case when place % 2 = 1 then case n % 100 when 0 then 'failed' else 'delivered' end end,
          ${moment} + place * interval '1 minute'
        from generate_series(10, $1::integer, 10) n, generate_series(1, 4) place`,
      parameters,
    },
    {
      table: "text_outbox",
      insert: `(
          message_id, kind, state, conversation_id, service_phone, segments, due_at, first_due_at, attempted_at,
          attempt, created_at
        )
        select
          md5('text ' || n || ' ' || place)::uuid, 'agent', case when n % 100 = 0 then 'failed' else 'accepted' end,
          md5('conversation ' || n)::uuid, '+1202555' || 1000 + n % 20, 1, ${moment}, ${moment}, ${moment}, 1,
          ${moment}
        from generate_series(10, $1::integer, 10) n, generate_series(1, 3, 2) place`,
      parameters,
    },
  ];
}
