import type postgres from "postgres";
import { findAgency } from "../find.ts";
import type { Outcome } from "../outcome.ts";
import { formatTable } from "../table.ts";

/** A greeting, as its first recruit gets it. */
interface TemplateRow {
  order_id: string;
  agency: string;
  status: string;
  /** The vendors whose recruits are greeted: those of the order that have text consent. */
  vendors: string[];
  /** How many active numbers the agency has. Without one, nobody is greeted. */
  numbers: number;
  segments: number;
  template: string;
  preview: string;
}

/** Lists the greetings of the orders with a preview: for a recruit named Ada, and the order's agent if it names one. */
export async function listTemplates(
  sql: postgres.Sql,
  agency: string | undefined,
): Promise<Outcome> {
  const agencyId = agency === undefined ? null : (await findAgency(sql, agency)).id;
  const templates = await sql<TemplateRow[]>`
    select o.id as order_id, g.name as agency, o.status,
      array(
        select v.slug from public.vendors v
        where v.has_text_consent and (o.vendor_id is null or v.id = o.vendor_id)
        order by v.slug
      ) as vendors,
      (select count(*) from public.service_numbers n where n.agency_id = g.id and n.status = 'active')::int
        as numbers,
      private.text_segments(p.preview) as segments, o.greeting_template as template, p.preview
    from public.recruiting_orders o
    join public.agencies g on g.id = o.agency_id
    cross join lateral (
      select private.greeting(
        o.greeting_template,
        jsonb_populate_record(
          null::public.recruiting_leads,
          jsonb_build_object('first_name', 'Ada', 'agency_id', o.agency_id, 'agent_id', o.agent_id)
        )
      ) as preview
    ) p
    where o.greeting_template is not null and (${agencyId}::uuid is null or o.agency_id = ${agencyId})
    order by g.name, o.created_at, o.id`;
  const rows = templates.map(({ template: _, vendors, numbers, ...row }) => ({
    order_id: row.order_id,
    agency: row.agency,
    status: row.status,
    greets: numbers === 0
      ? "nobody: no active number"
      : vendors.length === 0
      ? "nobody: no vendor has text consent"
      : `recruits of ${vendors.join(", ")}`,
    segments: row.segments,
    preview: row.preview,
  }));
  const none = "No order greets its recruits: npm run admin -- order update <order> " +
    "--greeting-template <text>";
  return { data: templates, text: templates.length > 0 ? formatTable(rows) : none };
}
