import { readDelivery } from "../../supabase/functions/desk/read_delivery.ts";
import type { Row } from "../find.ts";
import type { Outcome, Session } from "../session.ts";
import { formatFirst, formatTable } from "../table.ts";
import { deliveriesOf } from "./delivery_read.ts";

/** The deliveries that are held in memory at once. A payload has at most some megabytes. */
const PAGE = 20;

/** A setting that would change. */
interface Change {
  setting: string;
  now: unknown;
  then: unknown;
}

/**
 * The change of a vendor, and which of its open deliveries would be read by it. Nothing is changed.
 *
 * @param vendor with the settings as they would be
 */
export async function tryUpdate(
  { sql, progress }: Pick<Session, "sql" | "progress">,
  old: Row<"vendors">,
  vendor: Row<"vendors">,
): Promise<Outcome & { text: string }> {
  const changes = changesOf(old, vendor);
  const open = await sql<{ id: string }[]>`
    select id from public.rejected_deliveries
    where vendor_id = ${vendor.id} and status = 'open' order by received_at, id`;
  const read: object[] = [];
  const refused: { delivery_id: string; reason: string }[] = [];
  for (let i = 0; i < open.length; i += PAGE) {
    progress(`${i} of ${open.length} read, ${refused.length} still refused`);
    const ids = open.slice(i, i + PAGE).map(({ id }) => id);
    for (const delivery of await deliveriesOf(sql, sql`select unnest(${ids}::uuid[])`)) {
      const { id: delivery_id, received_at, vendor_lead_id, reason } = delivery;
      const { error } = readDelivery(delivery, vendor);
      if (error === null) read.push({ delivery_id, received_at, vendor_lead_id, refused_because: reason });
      else refused.push({ delivery_id, reason: error });
    }
  }

  const parts = [
    changes.length > 0 ? formatTable(changes.map(shownChange)) : "No setting would change.",
    read.length > 0 && `It would read these open deliveries:\n\n${formatFirst(read)}`,
    refused.length > 0 && `It would still refuse:\n\n${formatFirst(refused)}`,
    `Dry run, nothing was changed. Open deliveries that it would read: ${read.length}. Still refused: ${refused.length}.`,
  ];
  return {
    data: { dry_run: true, changes, read, still_refused: refused },
    text: parts.filter(Boolean).join("\n\n"),
  };
}

function changesOf(old: Row<"vendors">, vendor: Row<"vendors">): Change[] {
  const settings = Object.keys(vendor).filter((setting) => setting !== "updated_at") as (keyof Row<"vendors">)[];
  return settings
    .map((setting) => ({ setting, now: old[setting], then: vendor[setting] }))
    .filter(({ now, then }) => JSON.stringify(now) !== JSON.stringify(then));
}

function shownChange({ setting, now, then }: Change): object {
  const shown = (value: unknown) => typeof value === "object" && value !== null ? JSON.stringify(value) : value;
  return { setting, now: shown(now), then: shown(then) };
}
