import { Option } from "commander";
import type postgres from "postgres";
import type { GraphCredentials } from "../../supabase/functions/recruiting/fetches/graph.ts";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { CommandError } from "../errors.ts";
import { findVendor, type Row } from "../find.ts";
import { GraphError, graphList, graphSecrets, lastPage, pageCredentials } from "../graph.ts";
import { pastTime, text } from "../options.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";
import type { WebhookConfig } from "./webhook_schemes.ts";

/** The leads of a form since the time that was given. */
interface FormLeads {
  form_id: string;
  form: string;
  /** How many Meta has. */
  leads: number;
  /** How many of them we do not have, and do not wait for. */
  missing: number;
  /** The ids of those. */
  ids: string[];
}

export function addLeadFetch(lead: AdminCommand): void {
  lead
    .verb(
      "fetch",
      "asks Meta for leads of which no notice came, and has those that are missing fetched",
      "--vendor acme --since 2026-01-31",
    )
    .needs(text("--vendor <vendor>", "whose webhook is of the scheme meta, with an access token"))
    .needs(pastTime("--since <time>", "the first time of a lead; Meta keeps leads for 90 days"))
    .takes(new Option("--dry-run", "say what is missing, and change nothing"))
    .addHelpText(
      "after",
      "\nThe forms are those of the page of `vendor webhook set --page-id`, else of the last notice's page.",
    )
    .runs(fetchLeads);
}

async function fetchLeads(
  { sql, confirm, progress, act }: Session,
  { vendor: name, since, dryRun }: { vendor: string; since: Date; dryRun?: true },
): Promise<Outcome> {
  const vendor = await findVendor(sql, name);
  const { slug, id } = vendor;
  const { secret: appSecrets, access_token: [token] } = await graphSecrets(sql, vendor);
  if (token === undefined) {
    throw new CommandError(
      `${slug} has no access token: npm run admin -- vendor webhook secret create ${slug} --kind access_token`,
    );
  }
  const page = await pageOf(sql, vendor);
  const forms = await readForms(sql, id, page, since, { token, appSecrets }, progress);
  const missing = forms.flatMap(({ ids }) => ids);
  const rows = forms.map(({ ids: _, ...row }) => row);
  const shown = forms.length === 0 ? `The page ${page} has no form.` : formatTable(rows);
  if (missing.length === 0 || dryRun) {
    const what = missing.length === 0 ? "Nothing is missing." : `Leads that would be fetched: ${missing.length}.`;
    return { data: { page_id: page, forms: rows, queued: 0 }, text: `${shown}\n\n${what}` };
  }
  await confirm(`Fetch the missing leads of ${slug}, ${missing.length} of them? --dry-run lists the forms.`);

  const notices = forms.flatMap(({ ids, form_id }) =>
    ids.map((leadgen_id) => {
      const notice = { leadgen_id, page_id: page, form_id };
      return { ...notice, notice };
    })
  );
  const { added } = await act(
    (transaction) =>
      valueOf<{ added: number }>(transaction`
        select public.add_lead_fetches(${id}, ${crypto.randomUUID()}, ${sql.json(notices)})`),
    { vendor_id: id },
  );
  return {
    data: { page_id: page, forms: rows, queued: added },
    text: `${shown}\n\nLeads queued: ${added}. The worker fetches them within minutes. ` +
      `See npm run admin -- lead list --vendor ${slug}, and for those that fail delivery list --vendor ${slug}`,
  };
}

/** The page whose forms are read. */
async function pageOf(sql: postgres.Sql, { id, slug, webhook_config }: Row<"vendors">): Promise<string> {
  const page = (webhook_config as WebhookConfig).page_id ?? await lastPage(sql, id);
  if (page !== undefined) return page;
  throw new CommandError(
    `The page is not known: npm run admin -- vendor webhook set ${slug} --scheme meta --page-id <the page's id>`,
  );
}

/** The forms of a page, and which of their leads are missing. Of the leads only the ids are read. */
async function readForms(
  sql: postgres.Sql,
  vendorId: string,
  page: string,
  since: Date,
  given: GraphCredentials,
  progress: Session["progress"],
): Promise<FormLeads[]> {
  // `GREATER_THAN` leaves the second itself out.
  const value = Math.ceil(since.getTime() / 1_000) - 1;
  const filtering = JSON.stringify([{ field: "time_created", operator: "GREATER_THAN", value }]);
  try {
    const found: FormLeads[] = [];
    const credentials = await pageCredentials(page, given);
    const forms = await graphList(`${page}/leadgen_forms`, { fields: "id,name" }, credentials);
    for (const { id, name } of forms) {
      progress(`${found.length} of ${forms.length} forms read`);
      const leads = await graphList(`${id}/leads`, { fields: "id", filtering }, credentials);
      const ids = leads.map((lead) => String(lead.id)).filter((leadgenId) => /^\d{1,32}$/.test(leadgenId));
      const missing = await missingOf(sql, vendorId, ids);
      found.push({ form_id: String(id), form: String(name), leads: ids.length, missing: missing.length, ids: missing });
    }
    return found;
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    throw new CommandError(`Meta did not list the leads: ${error.message}. Nothing was changed.`);
  }
}

/** The ids of which there is no lead, and for which no fetch waits. */
async function missingOf(sql: postgres.Sql, vendorId: string, ids: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select g.id from unnest(${ids}::text[]) with ordinality g (id, place)
    where not exists (
      select from public.recruiting_leads l where l.vendor_id = ${vendorId} and l.vendor_lead_id = g.id
    ) and not exists (
      select from private.lead_fetches f
      where f.vendor_id = ${vendorId} and f.leadgen_id = g.id and f.state <> 'failed'
    )
    order by g.place`;
  return rows.map(({ id }) => id);
}
