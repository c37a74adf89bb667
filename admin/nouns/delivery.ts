import { Option } from "commander";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { CommandError } from "../errors.ts";
import { findDelivery } from "../find.ts";
import { choice, DRY_RUN, integer, LIMIT, pastTime, text } from "../options.ts";
import { conditionOf, type Filters, lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
import { formatFields, formatTable } from "../table.ts";
import { refusedProofs } from "./refused_proofs.ts";
import { replayDeliveries, replayDelivery } from "./delivery_replay.ts";

const SELECTION = [
  text("--vendor <vendor>", "all of this vendor"),
  new Option("--imports", "all of POST /api/leads/import"),
  pastTime("--since <time>", "only those received from this time on"),
];
const STATUS = choice("--status <status>", "only these", ["open", "replayed", "dismissed", "all"])
  .default("open");

export function addDelivery(program: AdminCommand): void {
  const about = "what vendors sent and was refused: kept for 30 days, 10,000 of each vendor";
  const delivery = program.noun("delivery", about);

  const list = "rejected deliveries, the newest first";
  delivery.verb("list", list, "--vendor acme --since 2026-01-31")
    .takes(...SELECTION, STATUS, LIMIT)
    .addHelpText(
      "after",
      "\nBelow them: why requests to webhooks got 401. Nothing is kept of what these sent. For scripts:" +
        "\n  npm run admin -- vendor webhook show acme --json",
    )
    .reads(listDeliveries);

  const show = "a delivery with its payload; by its id, or the first 8 characters of it";
  delivery.verb("show <delivery>", show, "5f0c6a3e").runs(showDelivery);

  delivery
    .verb(
      "replay [delivery]",
      "stores what was refused, read by the vendor's present parser: one delivery, or all that are open",
      "--vendor acme --since 2026-01-31 --dry-run",
    )
    .takes(...SELECTION, DRY_RUN)
    .addHelpText(
      "after",
      "\nA lead is stored once, however often and by however many it is replayed. What still cannot be stored" +
        "\nstays open. Files are not kept, so a lead that had a resume is stored without it.",
    )
    .refuses(selectionError)
    .runs((session, given: string | undefined, options: Filters & { dryRun?: true }) =>
      given === undefined
        ? replayDeliveries(session, options, options.dryRun ?? false)
        : replayDelivery(session, given, options.dryRun ?? false)
    );

  delivery
    .verb(
      "dismiss [delivery]",
      "takes deliveries off the list of open ones for good: one, or all of a vendor",
      "5f0c6a3e",
    )
    .takes(...SELECTION)
    .refuses(selectionError)
    .runs(dismissDeliveries);

  const prune = "deletes deliveries that are older than 30 days, open ones too";
  delivery.verb("prune", prune, "--older-than 30 --yes")
    .takes(integer("--older-than <days>", "how many days stay", 1).default(30))
    .runs(pruneDeliveries);
}

const rejected = lists("delivery_list", {
  order: "received_at desc, id",
  none: ({ status }) => `No delivery is ${status === "all" ? "kept" : status}.`,
  // The other columns are for scripts, and in `delivery show`.
  shown: ["id", "received_at", "vendor", "route", "row", "vendor_lead_id", "reason", "status"],
});

/** Lists rejected deliveries, and for a person below them why requests to webhooks were refused as a stranger's. */
async function listDeliveries(session: Session, given: Filters): Promise<Outcome> {
  const { data, text } = await rejected(session, given);
  const isAsked = !given.imports && (given.status === "open" || given.status === "all");
  const refused = isAsked ? await refusedProofs(session.sql, given) : [];
  if (refused.length === 0) return { data, text };
  return { data, text: `${text}\n\nRequests to webhooks that got 401:\n\n${formatTable(refused)}` };
}

/** Why a command line does not say which deliveries are meant, or says it twice. */
function selectionError(given: string | undefined, { vendor, imports, since }: Filters) {
  const isOne = given !== undefined;
  if ([isOne, vendor !== undefined, imports].filter(Boolean).length !== 1) {
    return "give one delivery, or all of a --vendor, or all --imports";
  }
  return isOne && since !== undefined && "--since: it is for all of a --vendor";
}

async function showDelivery({ sql }: Session, given: string): Promise<Outcome> {
  const delivery = await findDelivery(sql, given);
  const { payload, payload_text, ...fields } = delivery;
  const content = payload === null ? payload_text ?? "-" : JSON.stringify(payload, null, 2);
  return { data: delivery, text: `${formatFields(fields)}\n\n${content}`, shows: { delivery_id: delivery.id } };
}

async function dismissDeliveries(
  { sql, confirm, act }: Session,
  given: string | undefined,
  selection: Filters,
): Promise<Outcome> {
  const one = given === undefined ? undefined : await findDelivery(sql, given);
  const { isMeant } = one ? { isMeant: sql`id = ${one.id}` } : await conditionOf(sql, selection);
  const open = await sql<{ id: string }[]>`
    select id from public.rejected_deliveries where status = 'open' and ${isMeant}`;
  const what = one ? `${one.id} (${one.reason})` : `${open.length} deliveries`;
  if (open.length > 0) await confirm(`Dismiss ${what} for good?`, { unattended: one !== undefined });
  const deliveries = await act(
    (transaction) =>
      transaction<{ id: string; status: string; was_open: boolean }[]>`
        select * from public.dismiss_deliveries(${one ? [one.id] : open.map(({ id }) => id)})`,
    (all) => {
      const delivery_ids = all.filter(({ was_open }) => was_open).map(({ id }) => id);
      return delivery_ids.length > 0 ? { delivery_ids } : null;
    },
  );
  if (one !== undefined && deliveries[0]?.status === "replayed") {
    const { lead_id } = await findDelivery(sql, one.id);
    throw new CommandError(`The delivery ${one.id} has been replayed: its lead is ${lead_id}`);
  }
  const dismissed = deliveries.filter(({ was_open }) => was_open).length;
  const wasBefore = one !== undefined && dismissed === 0;
  return {
    data: { dismissed },
    text: wasBefore ? `${one.id} was dismissed before.` : `Dismissed ${one?.id ?? dismissed}.`,
  };
}

async function pruneDeliveries(
  { confirm, act }: Session,
  { olderThan: days }: { olderThan: number },
): Promise<Outcome> {
  await confirm(`Delete all deliveries that are older than ${days} days?`);
  const deleted = await act(
    (transaction) => valueOf<number>(transaction`select public.prune_deliveries(make_interval(days => ${days}))`),
    (count) => ({ count: Number(count) }),
  );
  return { data: { deleted }, text: `Deleted ${deleted}.` };
}
