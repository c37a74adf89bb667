import type { Command } from "commander";
import { integer, text } from "../options.ts";
import type { Run } from "../outcome.ts";
import { addNoun, addVerb } from "../verb.ts";
import {
  distributeLeads,
  type Distribution,
  listWaiting,
  type Waiting,
} from "./lead_distribute.ts";
import { findLeads } from "./lead_find.ts";
import { showLead } from "./lead_show.ts";

export function addLead(parent: Command, run: Run): void {
  const lead = addNoun(parent, "lead", "recruiting leads and imported sales leads");
  const vendor = () => text("--vendor <slug>", "only leads of this vendor");

  addVerb(
    lead,
    "find <text>",
    "leads and refused deliveries by the sender's id, a phone, an e-mail address, a name or an id",
    "find 4711",
  )
    .action((given: string, _options: unknown, command: Command) => {
      if (given.trim() === "") command.error("give a text with something in it");
      return run(({ sql }) => findLeads(sql, given.trim()));
    });

  addVerb(
    lead,
    "show <lead>",
    "everything that happened to a lead; the lead by the sender's id, its id, or the first 8 characters of its id",
    "show 4711",
  )
    .action((given: string) => run(({ sql }) => showLead(sql, given.trim())));

  addVerb(
    lead,
    "waiting",
    "recruiting leads that no order wanted, the oldest first",
    "waiting --vendor acme",
  )
    .addOption(vendor())
    .addOption(integer("--limit <number>", "how many at most", 1).default(50))
    .action((filter: Waiting) => run(({ sql }) => listWaiting(sql, filter)));

  addVerb(
    lead,
    "distribute",
    "hands waiting leads out to the orders that are open now, the oldest first",
    "distribute --vendor acme --dry-run",
  )
    .addOption(vendor())
    .addOption(integer("--max <number>", "how many at most; all, unless given", 1))
    .option("--dry-run", "only say what would become of the next leads, 100 at most", false)
    .action((distribution: Distribution) =>
      run((session) => distributeLeads(session, distribution))
    );
}
