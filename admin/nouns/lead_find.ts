import { list } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";

/** Looks everywhere a lead can be: among the stored leads of both kinds, and among the rejected deliveries. */
export async function findLeads({ sql }: Session, given: string): Promise<Outcome> {
  const none = `Nothing is known of "${given.trim()}": it is no lead's id, sender's id, phone, ` +
    "e-mail address or name, and no rejected delivery holds it.";
  return list(await sql`select * from public.find_leads(${given})`, none);
}
