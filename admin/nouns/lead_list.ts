import { formatCsv } from "../formats/csv.ts";
import { findAgency, findAgent, idOf } from "../find.ts";
import { datesOf, type Period } from "../options.ts";
import { list } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";

/** The number of leads of a page, and of one read for CSV. */
const LIMIT = 50;
const CSV_PAGE = 1000;

interface Filters extends Period {
  vendor?: string;
  agency?: string;
  agent?: string;
  order?: string;
  distribution?: string;
  state?: string;
  handedOutSince?: string;
  handedOutUntil?: string;
  limit?: number;
  after?: string;
}

/** Lists recruiting leads, the newest first: a page, or as CSV all of them. */
export async function listLeads({ sql }: Session, given: Filters): Promise<Outcome> {
  const vendor = await idOf(sql, "vendor", given.vendor);
  const agency = given.agency === undefined ? undefined : await findAgency(sql, given.agency);
  const agent = given.agent === undefined ? null : (await findAgent(sql, given.agent, agency)).id;
  const order = await idOf(sql, "order", given.order);
  const { distribution = null, state = null, timezone, handedOutSince, handedOutUntil } = given;
  const came = datesOf(given, agency);
  const distributed = datesOf({ since: handedOutSince, until: handedOutUntil, timezone }, agency);
  const ids = { vendor_id: vendor, agency_id: agency?.id, agent_id: agent, order_id: order };
  const meant = Object.fromEntries(Object.entries(ids).filter(([, id]) => id != null));
  const agencyId = agency?.id ?? null;
  const page = async (after: string | null, size: number) =>
    await sql`select * from public.list_leads(
      ${vendor}, ${agencyId}, ${agent}, ${order}, ${distribution}, ${came.since}, ${came.until}, ${timezone},
      ${after}, ${size}, ${state}, ${distributed.since}, ${distributed.until})`;

  if (given.csv) {
    const { limit = Infinity } = given;
    const first = await page(given.after ?? null, Math.min(CSV_PAGE, limit));
    const pages = async function* () {
      let rows = first;
      for (let count = rows.length; rows.length > 0; count += rows.length) {
        yield rows;
        if (count === limit) return;
        rows = await page(rows.at(-1)!.id, Math.min(CSV_PAGE, limit - count));
      }
    };
    const text = formatCsv(first.columns.map(({ name }) => name), pages());
    return { data: null, text, ...(first.length > 0 && { shows: meant }) };
  }

  const { limit = LIMIT } = given;
  const rows = await page(given.after ?? null, limit + 1);
  const leads = rows.slice(0, limit);
  const next = rows.length > limit ? leads.at(-1)!.id as string : null;
  const { text } = list(
    leads,
    "No lead is like that.",
    ({ agency_id: _, agent_id: __, returned_at: ___, return_reason: ____, ...row }) => row,
  );
  return {
    data: { leads, next },
    text: next ? `${text}\n\nThe next page: --after ${next}` : text,
    ...(leads.length > 0 && { shows: meant }),
  };
}
