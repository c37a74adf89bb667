import type { AdminCommand } from "../command.ts";
import { findAgencyId } from "../find.ts";
import { ONLY_AGENCY } from "../options.ts";
import { list, type Outcome, type Session } from "../session.ts";

export function addTextTemplates(noun: AdminCommand): void {
  const about = "the greetings of the orders, with a preview and how many segments each is sent in";
  noun.verb("templates", about, '--agency "Lakeshore Insurance"')
    .takes(ONLY_AGENCY)
    .runs(listTemplates);
}

/** Lists the greetings with a preview: for a recruit named Ada, and the order's agent if it names one. */
async function listTemplates({ sql }: Session, { agency }: { agency?: string }): Promise<Outcome> {
  const agencyId = await findAgencyId(sql, agency);
  // `vendors`: whose recruits are greeted. `numbers`: the agency's active ones; without one, nobody is greeted.
  const templates = await sql`
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
      select private.fill_template(
        o.greeting_template,
        jsonb_populate_record(
          null::public.recruiting_leads,
          jsonb_build_object('first_name', 'Ada', 'agency_id', o.agency_id, 'agent_id', o.agent_id)
        )
      ) as preview
    ) p
    where o.greeting_template is not null and (${agencyId}::uuid is null or o.agency_id = ${agencyId})
    order by g.name, o.created_at, o.id`;
  const none = "No order greets its recruits: npm run admin -- order update <order> " +
    "--greeting-template <text>";
  return list(
    templates,
    none,
    ({ order_id, agency, status, vendors, numbers, segments, preview }) => {
      const greets = numbers === 0
        ? "nobody: no active number"
        : vendors.length === 0
        ? "nobody: no vendor has text consent"
        : `recruits of ${vendors.join(", ")}`;
      return { order_id, agency, status, greets, segments, preview };
    },
  );
}
