import type postgres from "postgres";
import { asUser } from "./agencies.ts";
import { AGENCIES, loginOf } from "./cast.ts";
import type { Story } from "./clock.ts";
import type { PlannedLead } from "./plan.ts";

const DAY = 24 * 60 * 60_000;

/** The body of an import: sales leads of James. */
export async function salesLeads(sql: postgres.Sql, people: PlannedLead[]): Promise<object> {
  const [agent] = await sql`select id as agent_id, agency_id from public.agents where first_name = 'James'`;
  return {
    ...agent,
    leads: people.map(({ first, state }, n) => ({
      ...{ external_id: crypto.randomUUID(), first_name: first, state, type: n % 2 ? "fe" : "union" },
      last_name: people.at(n - 7)!.last,
      phone: `(${312 + n}) 555-${String(1_900 + n)}`,
    })),
  };
}

/** James presents to most of his sales leads, and sells to some. Returns when each came, and when he did that. */
export async function present(sql: postgres.Sql, now: Date): Promise<Story[]> {
  const leads = await sql`
    select l.id, l.agent_id from public.leads l join public.agents a on a.id = l.agent_id and a.first_name = 'James'
    order by l.phone`;
  const james = loginOf(AGENCIES.flatMap(({ people }) => people).find(({ first }) => first === "James")!);
  for (const [n, { id, agent_id }] of leads.entries()) {
    if (n % 4 === 0) continue;
    await sql`select public.log_presentation_activity(${id}, ${agent_id}, 'presentation_started')`;
    if (n % 4 === 1) continue;
    const sale = n % 8 === 7 ? { product: "Final expense", annual_premium: 480 + 60 * n } : null;
    await asUser(sql, james, (sql) => sql`select public.submit_lead_presentation(${id}, '{}', ${sql.json(sale)})`);
    await sql`update public.leads set stage = ${sale ? "sold" : "presented"} where id = ${id}`;
  }
  return leads.map(({ id }, n) => {
    const [received, done] = [n * DAY * 0.9, n * DAY * 0.4].map((age) => new Date(now.getTime() - age - DAY / 8));
    return { id, received: received!, texted: received!, done: done! };
  });
}
