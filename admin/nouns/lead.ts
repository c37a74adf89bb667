import { Option } from "commander";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { findLead } from "../find.ts";
import { list, lists } from "../lists.ts";
import {
  choice,
  DRY_RUN,
  endTime,
  firstDay,
  integer,
  lastDay,
  LIMIT,
  ONLY_AGENCY,
  option,
  pastTime,
  PERIOD,
  type Period,
  state,
  text,
  wrongOrder,
  wrongPeriod,
} from "../options.ts";
import { explainLead } from "./explain.ts";
import type { Outcome, Session } from "../session.ts";
import { formatFields, formatTable } from "../table.ts";
import { assignLeads } from "./lead_assign.ts";
import { distributeLeads } from "./lead_distribute.ts";
import { addLeadFetch } from "./lead_fetch.ts";
import { addLeadFiles } from "./lead_files.ts";
import { listLeads } from "./lead_list.ts";
import { rereadLeads } from "./lead_reread.ts";
import { returnLeads } from "./lead_return.ts";

const VENDOR = text("--vendor <vendor>", "only leads of this vendor");

const DISTRIBUTIONS = ["distributed", "unmatched", "pending", "not_requested", "returned", "repeat", "suppressed"];
const AFTER = option(
  "--after <lead>",
  "the leads after the last one of a page: its whole id",
  "the whole id of a lead, such as `next` is",
  (given) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given) ? given : undefined,
);

export function addLead(program: AdminCommand): void {
  const lead = program.noun("lead", "recruiting leads and imported sales leads");
  lead.verb("list", "recruiting leads, the newest first", "--vendor acme --since 2026-01-31")
    .takes(VENDOR, ONLY_AGENCY)
    .takes(text("--agent <agent>", "only this agent's: name, e-mail address or id"))
    .takes(text("--order <order>", "only those that this order got"))
    .takes(choice("--distribution <state>", "only in this state", DISTRIBUTIONS))
    .takes(state("--state <state>", "only from this state of the USA"))
    .takes(firstDay("--handed-out-since <day>", "only those distributed from this day of their agency on"))
    .takes(lastDay("--handed-out-until <day>", "only those distributed up to this day"))
    .takes(integer("--limit <number>", "how many at most; 50, and with --csv all, unless given", 1))
    .takes(AFTER, ...PERIOD)
    .refuses((given: Period & { handedOutSince?: string; handedOutUntil?: string }) =>
      wrongPeriod(given) ?? wrongOrder(
        given.timezone,
        ["--handed-out-since", given.handedOutSince],
        ["--handed-out-until", given.handedOutUntil],
      )
    )
    .runs(listLeads);

  lead
    .verb(
      "find <text>",
      "leads and rejected deliveries by the sender's id, a phone, an e-mail address, a name or an id",
      "4711",
    )
    .refuses((given: string) => given.trim() === "" && "give a text with something in it")
    .runs(findLeads);

  lead
    .verb(
      "show <lead>",
      "everything that happened to a lead; the lead by the sender's id, its id, or the first 8 characters of its id",
      "4711",
    )
    .runs(showLead);

  lead
    .verb(
      "duplicates",
      "leads that came again, and of which lead each is a duplicate",
      "--vendor acme --since yesterday",
    )
    .takes(VENDOR, text("--request <id>", "only those of this request, by its x-request-id"))
    .takes(pastTime("--since <time>", "only those that came from this time on"))
    .takes(endTime("--until <time>", "only those that came until this time"), LIMIT)
    .reads(lists("duplicate_list", {
      order: "received_at desc, id desc",
      none: "No lead came again.",
      shown: ["received_at", "vendor", "request_id", "vendor_lead_id", "lead_id", "first_received"],
    }));

  const explain = "which orders there are for a lead, in their order, and why each would get it now or not";
  lead.verb("explain <lead>", explain, "4711").reads(explainLead);

  lead.verb("waiting", "recruiting leads that no order wanted, the oldest first", "--vendor acme")
    .takes(VENDOR, LIMIT)
    .runs(lists("waiting_lead_list", {
      order: "received, id",
      none: "No lead waits for an order.",
      isOfPersons: true,
      shown: ["id", "vendor", "vendor_lead_id", "name", "state", "distribution", "received"],
    }));

  const distribute = "distributes waiting leads to the orders that are open now, the oldest first; or the named ones";
  lead.verb("distribute [lead...]", distribute, "--vendor acme --dry-run")
    .takes(VENDOR, integer("--max <number>", "how many at most; all, unless given", 1))
    .takes(new Option("--dry-run", "only say what would become of the next leads, 100 at most"))
    .addHelpText(
      "after",
      "\nNamed leads are distributed although they were stored without distribution, as those in bulk, or held as a repeat." +
        "\nA test lead never is.",
    )
    .refuses((leads: string[], { vendor, max }: { vendor?: string; max?: number }) =>
      leads.length > 0 && (vendor ?? max) !== undefined && "name leads, or choose them with --vendor and --max"
    )
    .runs(distributeLeads);

  const assign = "gives one lead, or all of an agent who leaves, to another agent of the agency";
  lead.verb("assign [lead]", assign, "--from maria@example.com --to bob@example.com --yes")
    .needs(text("--to <agent>", "who gets them: an active agent"))
    .takes(text("--from <agent>", "all leads of this agent, and what the agent has taken over"))
    .addHelpText(
      "after",
      "\nConversations and unread notifications go along. `lead show` says who had a lead before. An agent who leaves is switched off first:" +
        "\n  npm run admin -- agent update maria@example.com --active false",
    )
    .refuses((lead: string | undefined, { from }: { from?: string }) =>
      (lead === undefined) === (from === undefined) && "give one lead, or all leads --from an agent"
    )
    .runs(assignLeads);

  lead
    .verb(
      "return <lead...>",
      "takes bad leads back from their agencies, for good",
      '4711 4712 --reason "wrong number" --yes',
    )
    .needs(text("--reason <text>", "why, in at most 500 characters"))
    .takes(DRY_RUN)
    .addHelpText(
      "after",
      "\nThe order may get another lead for it. The lead is not distributed again, and is a duplicate when it is sent again." +
        "\nOf several leads each is returned by itself, also where another cannot be; the exit code is then 1.",
    )
    .runs(returnLeads);

  addLeadFetch(lead);
  addLeadFiles(lead);

  const reread = "fills what is empty in leads by what the vendor's present parser reads of vendor_fields";
  lead.verb("reread", reread, "--vendor acme --since 2026-01-31 --dry-run")
    .takes(VENDOR, pastTime("--since <time>", "only those that came from this time on"), DRY_RUN)
    .addHelpText(
      "after",
      "\nNothing else changes: not the first name, the vendor's id of the lead, vendor_fields, or who has the lead.",
    )
    .runs(rereadLeads);
}

/** Looks everywhere a lead can be: among the stored leads of both kinds, and among the rejected deliveries. */
async function findLeads({ sql }: Session, given: string): Promise<Outcome> {
  const none = `Nothing is known of "${given.trim()}": it is no lead's id, sender's id, phone, ` +
    "e-mail address or name, and no rejected delivery holds it.";
  const found = await sql`select * from public.find_leads(${given})`;
  const ordered = found.toSorted((one, other) => Number(other.by_sender_id) - Number(one.by_sender_id));
  const by = given.includes("@") ? "email" : /^[\d\s().+-]+$/.test(given) ? "phone" : "words";
  const outcome = list(ordered, none, ({ kind, id, sender, sender_id, by_sender_id: _, ...lead }) => ({
    ...{ kind, id, sender, vendor_lead_id: sender_id },
    ...lead,
  }));
  return { ...outcome, shows: { by } };
}

interface Shown {
  kind: string;
  lead: object;
  timeline: { at: string; event: string; detail: string }[];
  /** The person's other leads. */
  others: { received: string }[];
}

/** Shows a lead and everything that happened to it, oldest first. */
async function showLead({ sql }: Session, given: string): Promise<Outcome> {
  const { id } = await findLead(sql, given.trim());
  const shown = await valueOf<Shown>(sql`select public.show_lead(${id})`);
  const { kind, lead } = shown;
  const others = shown.others.map((other) => ({ ...other, received: new Date(other.received) }));
  const timeline = shown.timeline.map((event) => ({ ...event, at: new Date(event.at) }));
  // To the second: the order of two texts may matter in a dispute.
  const lines = timeline.map((event) => ({ ...event, at: event.at.toISOString().slice(0, 19).replace("T", " ") }));
  return {
    data: { kind, lead, timeline, others },
    text: `${formatFields({ kind, ...lead })}\n\n${formatTable(lines)}` +
      (others.length > 0 ? `\n\nOther leads of the person:\n${formatTable(others)}` : ""),
    shows: { lead_id: id },
  };
}
