import { Option } from "commander";
import type { AdminCommand } from "../command.ts";
import { integer, LIMIT, text } from "../options.ts";
import { distributeLeads, listWaiting } from "./lead_distribute.ts";
import { findLeads } from "./lead_find.ts";
import { showLead } from "./lead_show.ts";

const VENDOR = text("--vendor <slug>", "only leads of this vendor");

export function addLead(program: AdminCommand): void {
  const lead = program.noun("lead", "recruiting leads and imported sales leads");
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

  lead.verb("waiting", "recruiting leads that no order wanted, the oldest first", "--vendor acme")
    .takes(VENDOR, LIMIT)
    .runs(listWaiting);

  const distribute = "hands waiting leads out to the orders that are open now, the oldest first";
  lead.verb("distribute", distribute, "--vendor acme --dry-run")
    .takes(VENDOR, integer("--max <number>", "how many at most; all, unless given", 1))
    .takes(new Option("--dry-run", "only say what would become of the next leads, 100 at most"))
    .runs(distributeLeads);
}
