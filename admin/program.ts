import { AdminCommand, type Run } from "./command.ts";
import { addAgency } from "./nouns/agency.ts";
import { addAgent } from "./nouns/agent.ts";
import { addAlert } from "./nouns/alert.ts";
import { addBot } from "./nouns/bot.ts";
import { addCheck } from "./nouns/check.ts";
import { addConsent } from "./nouns/consent.ts";
import { addDelivery } from "./nouns/delivery.ts";
import { addDestination } from "./nouns/destination.ts";
import { addDispatch } from "./nouns/dispatch.ts";
import { addHours } from "./nouns/hours.ts";
import { addKey } from "./nouns/key.ts";
import { addLead } from "./nouns/lead.ts";
import { addNumber } from "./nouns/number.ts";
import { addOperator } from "./nouns/operator.ts";
import { addOrder } from "./nouns/order.ts";
import { addPerson } from "./nouns/person.ts";
import { addPush } from "./nouns/push.ts";
import { addRepeat } from "./nouns/repeat.ts";
import { addReport } from "./nouns/report.ts";
import { addSuppression } from "./nouns/suppression.ts";
import { addText } from "./nouns/text.ts";
import { addVendor } from "./nouns/vendor.ts";
import { option } from "./options.ts";
import { visibleText } from "./formats/visible.ts";

const AS = option(
  "--as <name>",
  "who does this, for `operator actions`; your login on this computer, unless given",
  "a name of at most 128 characters",
  (given) => visibleText(given).trim() === "" || given.length > 128 ? undefined : given,
);

/** The nouns, in the order in which help shows them. */
const NOUNS = [
  addAgency,
  addAgent,
  addOrder,
  addRepeat,
  addVendor,
  addKey,
  addLead,
  addDelivery,
  addDestination,
  addDispatch,
  addPerson,
  addSuppression,
  addNumber,
  addConsent,
  addText,
  addBot,
  addHours,
  addOperator,
  addAlert,
  addPush,
  addReport,
  addCheck,
];

/**
 * The command line of `npm run admin`: one command a noun, one subcommand a verb.
 *
 * @param print where help goes
 */
export function buildProgram(run: Run, print: (text: string) => void): AdminCommand {
  const program = new AdminCommand("npm run admin --", run)
    .description(
      "Administers agencies, agents, orders, vendors, keys and numbers, and finds what became of leads " +
        "and texts. Times in tables are in UTC.",
    )
    .usage("<noun> <verb> [options]")
    .option(
      "--db-url <url>",
      "the database of a hosted project; else SUPABASE_DB_URL, else the local stack",
    )
    .option("--json", "print JSON for scripts (with npm run --silent)")
    .option("--yes", "do not ask before what cannot be undone")
    .addOption(AS)
    .helpOption("-h, --help", "show this")
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true, helpWidth: 100 })
    .configureOutput({ writeOut: print, writeErr: print })
    .exitOverride();
  for (const add of NOUNS) add(program);
  return program;
}
