/** The migrations of docs/scaling, on a database with rows that is written to meanwhile. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type postgres from "postgres";
import { runCommandLine } from "../../admin/command_line.ts";
import { connect, readStackInfo, ROOT } from "../../dev/local/mod.ts";
import {
  type Catalogue,
  compareCatalogues,
  readCatalogue,
} from "../../dev/scripts/migration/catalogue.ts";
import { migrationFiles, type SqlFile } from "../../dev/scripts/migration/files.ts";
import { applyFiles, withScratch } from "../../dev/scripts/migration/scratch.ts";
import { installPgtap, runTapFile } from "../../dev/testing/pgtap.ts";

const FOLDER = "docs/scaling";
const TABLES = ["rejected_deliveries", "recruiting_message_events", "recruiting_messages"];

/** What differs afterwards, besides the partitions themselves. docs/scaling.md tells what it means. */
const DIFFERENCES = [
  "constraint agent_notifications_message_id_fkey",
  "constraint recruiting_message_events_pkey",
  "constraint recruiting_messages_pkey",
  "constraint recruiting_messages_provider_message_id_key",
  "constraint rejected_deliveries_pkey",
  "constraint text_outbox_message_id_fkey",
  "function private.delete_message_references",
  "function private.is_repeated_message",
  "function private.lock_repeats",
  "function private.refuse_repeated_message",
  "function private.skip_repeated_event",
  "function private.skip_repeated_message",
  "index public.recruiting_message_events_pkey",
  "index public.recruiting_messages_pkey",
  "index public.recruiting_messages_provider_message_id_idx",
  "index public.recruiting_messages_provider_message_id_key",
  "index public.rejected_deliveries_pkey",
  "relation public.recruiting_message_events",
  "relation public.recruiting_messages",
  "relation public.rejected_deliveries",
  "trigger delete_message_references",
  "trigger refuse_repeated_message",
  "trigger skip_repeated_event",
  "trigger skip_repeated_message",
];

/** The database tests of the functions, policies and rights that concern the tables. */
const TAP_FILES = [
  "02_privileges",
  "19_sms_inbound",
  "20_sms_status",
  "22_rls_reading",
  "30_unmatched_texts",
  "31_rejected_deliveries",
  "32_replay",
  "43_consent_in_texts",
  "49_text_outcomes",
];

const REJECTION = {
  request_id: "partitions",
  route: "/recruiting/ingest",
  vendor_id: null,
  code: "BAD_REQUEST",
  reason: "x",
  payload: {},
  payload_bytes: 2,
};

Deno.test("messages, their events and the journal become partitioned by time", async (test) => {
  await installPgtap();
  await withScratch(readStackInfo().db_url, async (scratch) => {
    const url = await scratch.build(migrationFiles());
    const sql = connect(url);
    await sql`create extension pgtap schema extensions`;
    await addRows(sql);
    await applyFiles(url, files("partitions"));
    const catalogue = await catalogueAt(url);
    // PostgREST's connections are such.
    const open = connect(url);
    await useFunctions(open, "before");

    await test.step("and nothing is lost of what they had and of what is written meanwhile", async () => {
      const before = await readTables(sql);
      const writers = [writeOnAndOn(url, "first"), writeOnAndOn(url, "second")];
      try {
        for (const table of TABLES) await applyFiles(url, files(`${table}_`));
      } finally {
        for (const writer of writers) writer.stop();
      }
      const written = (await Promise.all(writers.map((writer) => writer.written))).flat();
      assert(written.length > 0);

      const after = await readTables(sql);
      for (const table of TABLES) {
        assert(before[table]!.size > 20);
        assert.deepEqual([...before[table]!.difference(after[table]!)], [], table);
      }
      const [stored] = await sql`
        select
          (select count(*)::integer from public.recruiting_messages
            where provider_message_id = any (${written})) as messages,
          (select count(*)::integer from public.recruiting_message_events
            where provider_message_id = any (${written})) as events`;
      assert.deepEqual({ ...stored }, { messages: written.length, events: written.length });
    });

    await test.step("and everything else of the database stays as it is", async () => {
      const differences = compareCatalogues(catalogue, await catalogueAt(url));
      for (const difference of differences) {
        const isExpected = DIFFERENCES.some((expected) => difference.includes(` ${expected}`));
        assert(
          isExpected,
          `${difference}\n\nRepeat in docs/scaling/*.sql what supabase/schemas says of it.`,
        );
      }
      for (const expected of DIFFERENCES) {
        const differs = differences.some((difference) => difference.includes(` ${expected}`));
        assert(differs, `${expected} does not differ: take it out of DIFFERENCES in this test`);
      }
    });

    await test.step("and connections that were open before go on", async () => {
      await useFunctions(open, "after");
      await open.end();
    });

    for (const file of TAP_FILES) {
      await test.step(`and ${file} passes`, async () => {
        const tester = connect(url);
        const { passed, diagnostics } = await runTapFile(
          tester,
          join(ROOT, `supabase/tests/${file}.test.sql`),
        );
        await tester.end();
        assert.deepEqual(diagnostics, []);
        assert(passed > 0);
      });
    }

    await test.step("and what comes eight times at once is stored once", async () => {
      const connections = Array.from({ length: 8 }, () => connect(url));
      await Promise.all(connections.map(async (connection) => {
        await connection`select receive_sms('+12025550100', '+12025550199', 'SM race', 'Hello', null)`;
        await connection`select receive_sms(
          '+12025550100', '+12025550199', null, 'Hello', null, md5('race')::uuid)`;
        await connection`select update_sms_status('SM race', 'sent', null, md5('race')::uuid)`;
        await connection`select replay_delivery(md5('partitions 3')::uuid, '{"first_name": "Ada"}')`;
        await connection.end();
      }));
      const [stored] = await sql`
        select
          (select count(*)::integer from public.recruiting_messages
            where provider_message_id = 'SM race' or id = md5('race')::uuid) as messages,
          (select count(*)::integer from public.recruiting_message_events
            where provider_message_id = 'SM race') as events,
          (select count(*)::integer from public.recruiting_leads where id = md5('partitions 3')::uuid) as leads`;
      assert.deepEqual({ ...stored }, { messages: 2, events: 1, leads: 1 });
    });

    await test.step("and no message gets the MessageSid of another, or is lost when its time is corrected", async () => {
      await assert.rejects(
        sql`update public.recruiting_messages set provider_message_id = 'SM1'
          where provider_message_id = 'SM race'`,
        { code: "23505" },
      );
      await sql`update public.recruiting_messages set created_at = now() + interval '10 years'
        where provider_message_id = 'SM race'`;
      assert.equal(await partitionOf(sql, "SM race"), "private.recruiting_messages_default");
    });

    await test.step("and operators' commands go on", async () => {
      const run = async (...words: string[]) => {
        const { code, out, err } = await runCommandLine(
          [...words, "--json", "--db-url", url],
          { readSecret: () => Promise.resolve("") },
        );
        assert.equal(code, 0, err);
        return JSON.parse(out);
      };
      const listed = await run("delivery", "list", "--status", "all", "--limit", "100");
      assert.equal((await run("delivery", "show", listed[0].id)).id, listed[0].id);
      assert((await run("report", "--since", "2020-01-01")).length > 20);
      assert.equal((await run("delivery", "prune", "--older-than", "20", "--yes")).deleted, 5);
    });

    await test.step("and partitions are added and dropped with their rows alone", async () => {
      const [maintained] = await sql`
        select private.maintain_partitions('public.recruiting_messages', '1 month', '3 years') as changed`;
      assert.equal(maintained!.changed, 0);

      // As after months in which nobody has added partitions
      await sql`
        insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id, created_at)
        select md5('partitions')::uuid, 'outbound', 'bot', 'SM late', max(b.ends_at) + interval '1 day'
        from private.partition_bounds('public.recruiting_messages') b`;
      await sql`
        select private.add_partition('public.recruiting_messages', max(b.ends_at), max(b.ends_at) + interval '1 month')
        from private.partition_bounds('public.recruiting_messages') b`;
      assert.match(await partitionOf(sql, "SM late"), /^private\.recruiting_messages_\d{8}$/);

      // The first partition has all that was written until now.
      await sql`
        select private.maintain_partitions('public.recruiting_messages', '1 month', now() - min(b.ends_at))
        from private.partition_bounds('public.recruiting_messages') b`;
      const rows =
        await sql`select provider_message_id as sid from public.recruiting_messages order by 1`;
      assert.deepEqual(rows.map(({ sid }) => sid), ["SM late", "SM race"]);
      await useFunctions(sql, "later");
    });
    await sql.end();
  });
});

/** The files of docs/scaling whose names begin so, in the order in which they are applied. */
function files(prefix: string): SqlFile[] {
  return Array.from(Deno.readDirSync(join(ROOT, FOLDER)), ({ name }) => `${FOLDER}/${name}`)
    .filter((path) => path.startsWith(`${FOLDER}/${prefix}`)).sort()
    .map((path) => ({ path, text: Deno.readTextFileSync(join(ROOT, path)) }));
}

/** Fills the tables with rows of the last two years. */
async function addRows(sql: postgres.Sql): Promise<void> {
  await sql`
    insert into public.agencies (id, name, timezone) values (md5('partitions')::uuid, 'Agency', 'UTC');
    insert into public.vendors (id, slug, name, parser)
    values (md5('partitions')::uuid, 'partitions', 'Vendor', 'generic');
    insert into public.recruiting_conversations (id, agency_id, recruit_phone, service_phone)
    values (md5('partitions')::uuid, md5('partitions')::uuid, '+12025550100', '+12025550199');
    insert into public.recruiting_message_events (provider_message_id, provider_status, status, received_at)
    select 'SM' || n, 'sent', 'sent', now() - n * interval '1 month' from generate_series(1, 24) n;
    insert into public.recruiting_messages
      (conversation_id, direction, sender_type, provider_message_id, body, created_at)
    select
      md5('partitions')::uuid, 'inbound', 'recruit', nullif('SM' || n, 'SM24'), 'Text ' || n,
      now() - n * interval '1 month'
    from generate_series(1, 24) n;
    insert into public.rejected_deliveries
      (id, request_id, route, vendor_id, code, reason, payload, payload_bytes, received_at)
    select
      md5('partitions ' || n)::uuid, 'partitions', '/recruiting/ingest', md5('partitions')::uuid, 'BAD_REQUEST', 'x',
      '{"last_name": "Doe"}', 20, now() - n * interval '1 day'
    from generate_series(1, 24) n`.simple();
}

async function readTables(sql: postgres.Sql): Promise<Record<string, Set<string>>> {
  const rows: Record<string, Set<string>> = {};
  for (const table of TABLES) {
    const read = await sql.unsafe<{ row: string }[]>(
      `select t::text as row from public.${table} t`,
    );
    rows[table] = new Set(read.map(({ row }) => row));
  }
  return rows;
}

/** The partition that has the message with this MessageSid, which is in one of them. */
async function partitionOf(sql: postgres.Sql, sid: string): Promise<string> {
  const rows = await sql<{ name: string }[]>`
    select tableoid::regclass::text as name from public.recruiting_messages where provider_message_id = ${sid}`;
  assert.equal(rows.length, 1);
  return rows[0]!.name;
}

/** The database's objects without rows, and without partitions and what belongs to them. */
async function catalogueAt(url: string): Promise<Catalogue> {
  const sql = connect(url);
  const catalogue = await readCatalogue(sql);
  await sql.end();
  const isPartition = new RegExp(`private\\.(${TABLES.join("|")})_`);
  return new Map(
    Array.from(catalogue)
      .filter(([name]) => !isPartition.test(name) && !name.startsWith("row of "))
      .map(([name, definition]) => [name, definition.replace(" ON ONLY ", " ON ")]),
  );
}

/** Calls the functions that read or write the tables, and asserts what they leave. */
async function useFunctions(sql: postgres.Sql, when: "before" | "after" | "later"): Promise<void> {
  const sid = `SM ${when}`;
  const receive = (id: string) =>
    sql`select receive_sms('+12025550100', '+12025550199', ${id}, 'Hello', null)`;
  const update = (status: string) =>
    sql`select update_sms_status(${sid}, ${status}, null, md5(${when})::uuid)`;
  await receive(sid);
  await receive(sid);
  await receive("SM before");
  await update("delivered");
  await update("sent");
  await sql`select record_rejections(${sql.json([REJECTION])}::jsonb::json)`;
  await sql`select prune_deliveries('1 year')`;
  const number = { before: 1, after: 2, later: 4 }[when];
  await sql`select replay_delivery(md5('partitions ' || ${number}::integer)::uuid, '{"first_name": "Ada"}')`;

  const [left] = await sql`
    select
      (select array_agg(status) from public.recruiting_messages where provider_message_id = ${sid}) as statuses,
      (select count(*)::integer from public.recruiting_messages where provider_message_id = 'SM before') as before,
      (select count(*)::integer from public.recruiting_message_events where provider_message_id = ${sid}) as events,
      (select status from public.rejected_deliveries where id = md5('partitions ' || ${number}::integer)::uuid) as delivery`;
  assert.deepEqual({ ...left }, {
    statuses: ["delivered"],
    before: 1,
    events: 1,
    delivery: "replayed",
  });
}

/** Stores a text and a callback of it again and again, until it is stopped. `written` has the MessageSids of all. */
function writeOnAndOn(url: string, name: string): { stop(): void; written: Promise<string[]> } {
  let isStopped = false;
  const write = async () => {
    const sql = connect(url);
    const sids: string[] = [];
    while (!isStopped) {
      const sid = `SM ${name} ${sids.length}`;
      await sql`select receive_sms('+12025550100', '+12025550199', ${sid}, 'Hello', null)`;
      await sql`select update_sms_status(${sid}, 'sent', null)`;
      sids.push(sid);
    }
    await sql.end();
    return sids;
  };
  return { stop: () => isStopped = true, written: write() };
}
