import type { Page } from "playwright-core";
import { sql } from "../support/client.ts";

type Owner = { agency_id: string; agent_id: string };

/** Makes recruits of an agent, the first of them the newest. Returns their ids. */
export async function createRecruits(
  { agency_id, agent_id }: Owner,
  people: { first_name: string; metadata?: Record<string, unknown> }[],
): Promise<string[]> {
  const [vendor] = await sql`
    insert into public.vendors (slug, name) values (${`test-${crypto.randomUUID()}`}, 'A vendor') returning id`;
  const rows = people.map(({ first_name, metadata = {} }, place) => ({
    id: crypto.randomUUID(),
    vendor_id: vendor!.id as string,
    first_name,
    vendor_metadata: sql.json(metadata as never),
    agency_id,
    agent_id,
    created_at: new Date(Date.now() - place * 60_000),
  }));
  await sql`insert into public.recruiting_leads ${sql(rows as never)}`;
  return rows.map(({ id }) => id);
}

/** The rows of the table, without its head. */
export function rows(page: Page) {
  return page.getByRole("main").locator("tbody").getByRole("row");
}
