import type { AdminCommand } from "../command.ts";
import { CommandError } from "../errors.ts";
import { findAgency, idOf } from "../find.ts";
import { AGENCY_NAMES, choice, duration, type Given, option, text } from "../options.ts";
import { lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";

const ACTIONS = ["hold", "same_agent", "duplicate"];
const KINDS = ["phone", "email"];
const SCOPE = [
  text("--vendor <vendor>", "only new leads of this vendor"),
  text("--agency <agency>", `only where this agency has the earlier lead; ${AGENCY_NAMES}`),
];

interface Scope {
  vendor?: string;
  agency?: string;
}

export function addRepeat(program: AdminCommand): void {
  const repeat = program.noun("repeat", "rules for leads whose person has an earlier lead, of whatever vendor");
  repeat.verb("list", "the rules: of those that fit a lead, the first decides")
    .reads(lists("repeat_rule_list", {
      order: "rank desc, vendor, agency",
      none: "There is no rule: every lead is treated as its person's first.",
      shown: ({ vendor, agency, match, within, action }) => ({
        vendor: vendor ?? "any",
        agency: agency ?? "any",
        match: match.join(", "),
        within,
        action,
      }),
    }));

  const set = "what becomes of such leads; it replaces the rule of the same vendor and agency";
  repeat.verb("set", set, "--vendor acme --match phone,email --within 30d --action hold")
    .needs(
      option(
        "--match <list>",
        "what makes two leads one person's: phone, email, or both",
        "phone, email or both",
        (given) => {
          const kinds = given.split(",").map((kind) => kind.trim());
          return kinds.every((kind) => KINDS.includes(kind)) ? [...new Set(kinds)] : undefined;
        },
      ),
      duration("--within <time>", "how old the earlier lead is at most: 30d, 12h"),
      choice("--action <action>", "what becomes of the lead", ACTIONS),
    )
    .takes(...SCOPE)
    .runs(setRule);

  repeat.verb("remove", "ends the rule of this vendor and agency, or the one of all", "--vendor acme")
    .takes(...SCOPE)
    .runs(removeRule);
}

async function setRule(
  session: Session,
  { match, within, action, ...scope }: Given & Scope & { match: string[]; within: string; action: string },
): Promise<Outcome> {
  const { vendor_id, agency_id } = await idsOf(session, scope);
  const [rule] = await session.act(
    (transaction) =>
      transaction`
        insert into public.repeat_rules (vendor_id, agency_id, match, within, action)
        values (${vendor_id}, ${agency_id}, ${match}, ${within}, ${action})
        on conflict on constraint repeat_rules_scope_key do update
        set match = excluded.match, within = excluded.within, action = excluded.action
        returning *`,
    ([rule]) => ({ rule_id: rule!.id, changes: { vendor_id, agency_id, match, within, action } }),
  );
  return {
    data: rule,
    text: `From now on, ${action} for ${wordsOf(scope)}: the earlier lead has the same ${
      match.join(" or ")
    }, within ${within}.`,
  };
}

async function removeRule(session: Session, scope: Scope): Promise<Outcome> {
  const { vendor_id, agency_id } = await idsOf(session, scope);
  const removed = await session.act(
    (transaction) =>
      transaction`
        delete from public.repeat_rules
        where vendor_id is not distinct from ${vendor_id} and agency_id is not distinct from ${agency_id} returning *`,
    ([rule]) => rule === undefined ? null : { rule_id: rule.id },
  );
  if (removed.length === 0) {
    throw new CommandError(`There is no rule for ${wordsOf(scope)}: npm run admin -- repeat list`);
  }
  return { data: removed[0], text: `Removed the rule for ${wordsOf(scope)}. Leads that are held stay held.` };
}

async function idsOf({ sql }: Session, { vendor, agency }: Scope) {
  return {
    vendor_id: await idOf(sql, "vendor", vendor) ?? null,
    agency_id: agency === undefined ? null : (await findAgency(sql, agency)).id,
  };
}

function wordsOf({ vendor, agency }: Scope): string {
  const leads = vendor === undefined ? "leads of any vendor" : `leads of ${vendor}`;
  return agency === undefined ? leads : `${leads} whose person ${agency} has`;
}
