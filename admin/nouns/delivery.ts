import type { Command } from "commander";
import type postgres from "postgres";
import { findDelivery } from "../find.ts";
import { choice, integer } from "../options.ts";
import { CommandError, type Outcome, type Run, type Session } from "../outcome.ts";
import { formatTable, listed } from "../table.ts";
import { addNoun, addVerb } from "../verb.ts";
import {
  addSelection,
  conditionOf,
  requireSelection,
  type Selection,
} from "./delivery_selection.ts";
import { replayDeliveries, replayDelivery } from "./delivery_replay.ts";

const STATUSES = ["open", "replayed", "dismissed", "all"] as const;

interface Listing extends Selection {
  status: typeof STATUSES[number];
  limit: number;
}

export function addDelivery(parent: Command, run: Run): void {
  const delivery = addNoun(
    parent,
    "delivery",
    "what vendors sent and was refused: kept for 30 days, 10,000 of each vendor",
  );

  addListVerb(delivery, run);

  addVerb(
    delivery,
    "show <delivery>",
    "a delivery with its payload; by its id, or the first 8 characters of it",
    "show 5f0c6a3e",
  )
    .action((given: string) => run(({ sql }) => showDelivery(sql, given)));

  const replay = addVerb(
    delivery,
    "replay [delivery]",
    "stores what was refused, read by the vendor's present parser: one delivery, or all that are open",
    "replay --vendor acme --since 2026-01-31 --dry-run",
  );
  addSelection(replay)
    .option("--dry-run", "say what would happen, and change nothing", false)
    .addHelpText(
      "after",
      "\nA lead is stored once, however often and by however many it is replayed. What still cannot be stored" +
        "\nstays open. Files are not kept, so a lead that had a resume is stored without it.",
    )
    .action(
      (given: string | undefined, options: Selection & { dryRun: boolean }, command: Command) => {
        requireSelection(given, options, command);
        return run((session) =>
          given === undefined
            ? replayDeliveries(session, options, options.dryRun)
            : replayDelivery(session, given, options.dryRun)
        );
      },
    );

  const dismiss = addVerb(
    delivery,
    "dismiss [delivery]",
    "takes deliveries off the list of open ones for good: one, or all of a vendor",
    "dismiss 5f0c6a3e",
  );
  addSelection(dismiss)
    .action((given: string | undefined, selection: Selection, command: Command) => {
      requireSelection(given, selection, command);
      return run((session) =>
        given === undefined
          ? dismissDeliveries(session, selection)
          : dismissDelivery(session, given)
      );
    });

  addVerb(
    delivery,
    "prune",
    "deletes deliveries that are older than 30 days, open ones too",
    "prune --older-than 30 --yes",
  )
    .addOption(integer("--older-than <days>", "how many days stay", 1).default(30))
    .action(({ olderThan }: { olderThan: number }) =>
      run((session) => pruneDeliveries(session, olderThan))
    );
}

function addListVerb(delivery: Command, run: Run): void {
  const list = addVerb(
    delivery,
    "list",
    "refused deliveries, the newest first",
    "list --vendor acme --since 2026-01-31",
  );
  addSelection(list)
    .addOption(choice("--status <status>", "only these", STATUSES).default("open"))
    .addOption(integer("--limit <number>", "how many at most", 1).default(50))
    .action((listing: Listing) => run(({ sql }) => listDeliveries(sql, listing)));
}

async function listDeliveries(
  sql: postgres.Sql,
  { status, limit, ...selection }: Listing,
): Promise<Outcome> {
  const condition = await conditionOf(sql, selection);
  const isMeant = () =>
    sql`${condition()} and ${status === "all" ? sql`true` : sql`d.status = ${status}`}`;
  const deliveries = await sql`
    select d.id, d.received_at, coalesce(v.slug, 'import') as vendor, d.route, d.row, d.vendor_lead_id,
      d.code, d.reason, d.status, d.lead_id, d.resolved_at, d.request_id, d.payload_bytes
    from public.rejected_deliveries d
    left join public.vendors v on v.id = d.vendor_id
    where ${isMeant()}
    order by d.received_at desc, d.id limit ${limit}`;
  const [{ total }] = await sql<[{ total: number }]>`
    select count(*)::int as total from public.rejected_deliveries d where ${isMeant()}`;
  const rows = deliveries.map((
    { id, received_at, vendor, route, row, vendor_lead_id, reason, status },
  ) => ({ id, received_at, vendor, route, row, vendor_lead_id, reason, status }));
  return { data: deliveries, text: listed(rows, total, "There is no such delivery.") };
}

async function showDelivery(sql: postgres.Sql, given: string): Promise<Outcome> {
  const delivery = await findDelivery(sql, given);
  const { payload, payload_text, ...fields } = delivery;
  const rows = Object.entries(fields).map(([field, value]) => ({ field, value }));
  const content = payload === null ? payload_text ?? "-" : JSON.stringify(payload, null, 2);
  return { data: delivery, text: `${formatTable(rows)}\n\n${content}` };
}

async function dismissDelivery({ sql, confirm }: Session, given: string): Promise<Outcome> {
  const { id, reason, status } = await findDelivery(sql, given);
  if (status === "open") {
    await confirm(`Dismiss ${id} (${reason}) for good?`, { unattended: true });
  }
  await sql`
    update public.rejected_deliveries set status = 'dismissed' where id = ${id} and status = 'open'`;
  const now = await findDelivery(sql, id);
  if (now.status === "replayed") {
    throw new CommandError(`The delivery ${id} has been replayed: its lead is ${now.lead_id}`);
  }
  return {
    data: { dismissed: status === "open" ? 1 : 0 },
    text: status === "open" ? `Dismissed ${id}.` : `${id} was dismissed before.`,
  };
}

async function dismissDeliveries(
  { sql, confirm }: Session,
  selection: Selection,
): Promise<Outcome> {
  const condition = await conditionOf(sql, selection);
  const [{ open }] = await sql<[{ open: number }]>`
    select count(*)::int as open from public.rejected_deliveries d
    where d.status = 'open' and ${condition()}`;
  if (open > 0) await confirm(`Dismiss ${open} deliveries for good?`);
  const { count } = await sql`
    update public.rejected_deliveries d set status = 'dismissed'
    where d.status = 'open' and ${condition()}`;
  return { data: { dismissed: count }, text: `Dismissed ${count}.` };
}

async function pruneDeliveries({ sql, confirm }: Session, days: number): Promise<Outcome> {
  await confirm(`Delete all deliveries that are older than ${days} days?`);
  const [{ deleted }] = await sql<[{ deleted: number }]>`
    select public.prune_deliveries(make_interval(days => ${days})) as deleted`;
  return { data: { deleted }, text: `Deleted ${deleted}.` };
}
