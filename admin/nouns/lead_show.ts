import { findLead } from "../find.ts";
import type { Outcome, Session } from "../session.ts";
import { formatFields, formatTable } from "../table.ts";

interface Shown {
  kind: string;
  lead: object;
  timeline: { at: string; event: string; detail: string }[];
}

/** Shows a lead and everything that happened to it, oldest first. */
export async function showLead({ sql }: Session, given: string): Promise<Outcome> {
  const { id } = await findLead(sql, given.trim());
  const [{ shown }] = await sql<[{ shown: Shown }]>`select public.show_lead(${id}) as shown`;
  const { kind, lead } = shown;
  const timeline = shown.timeline.map((event) => ({ ...event, at: new Date(event.at) }));
  return {
    data: { kind, lead, timeline },
    text: `${formatFields({ kind, ...lead })}\n\n${formatTable(timeline)}`,
  };
}
