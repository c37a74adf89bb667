import type postgres from "postgres";
import { compileExpression } from "../../supabase/functions/_shared/expression/expression.ts";
import type { Json } from "../../supabase/functions/_shared/json.ts";
import { valueOf } from "../database.ts";
import { CommandError } from "../errors.ts";
import type { Outcome } from "../session.ts";

/** The expressions that a destination can have, by the options that set them. */
const OPTIONS = { template: "--template", accepted_when: "--accepted-when", rejected_when: "--rejected-when" };

/**
 * Checks the expressions of a destination, and tries its template on the newest lead that the agency has got.
 *
 * @returns the body that the template makes of it; without a template, the event itself
 * @throws {CommandError} naming the option, when an expression is wrong or makes no body
 */
export async function tryExpressions(
  sql: postgres.Sql,
  agencyId: string,
  settings: Record<string, unknown>,
): Promise<Outcome> {
  for (const [setting, option] of Object.entries(OPTIONS)) {
    const expression = settings[setting];
    const { error } = typeof expression === "string" ? compileExpression(expression) : { error: null };
    if (error !== null) throw new CommandError(`${option}: ${error}`);
  }
  const { template, order_id = null } = settings as { template?: string | null; order_id?: string | null };
  const event = await valueOf<{ data: { lead: { id: string } } } | null>(
    sql`select public.sample_event(${agencyId}, ${order_id})`,
  );
  if (event === null) {
    const text = "The agency has no lead yet on which a template can be tried.";
    return { data: null, text, warnings: template ? [text] : [] };
  }
  const body = template ? compileExpression(template).data!.search(event as Json) : event;
  const { id: lead_id } = event.data.lead;
  if (body === undefined) throw new CommandError(`--template: it makes nothing of the newest lead, ${lead_id}`);
  return { data: body, text: JSON.stringify(body, null, 2), shows: { lead_id } };
}
