import { Command, type ErrorOptions } from "commander";
import { addAgency } from "./nouns/agency.ts";
import { addAgent } from "./nouns/agent.ts";
import { addConsent } from "./nouns/consent.ts";
import { addDelivery } from "./nouns/delivery.ts";
import { addKey } from "./nouns/key.ts";
import { addLead } from "./nouns/lead.ts";
import { addNumber } from "./nouns/number.ts";
import { addOrder } from "./nouns/order.ts";
import { addReport } from "./nouns/report.ts";
import { addText } from "./nouns/text.ts";
import { addVendor } from "./nouns/vendor.ts";
import { addWebhook } from "./nouns/webhook.ts";
import { type Run, UsageError } from "./outcome.ts";

/** The options that every verb takes. */
export interface GlobalOptions {
  dbUrl?: string;
  json?: boolean;
  yes?: boolean;
}

/**
 * The command line of `npm run admin`: one command a noun, one subcommand a verb.
 *
 * @param print where help goes
 */
export function buildProgram(run: Run, print: (text: string) => void): Command {
  const program = new AdminCommand("npm run admin --")
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
    .helpOption("-h, --help", "show this")
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true, helpWidth: 100 })
    .configureOutput({ writeOut: print, writeErr: print })
    .exitOverride();
  addAgency(program, run);
  addAgent(program, run);
  addOrder(program, run);
  const vendor = addVendor(program, run);
  addKey(vendor, run);
  addWebhook(vendor, run);
  addKey(program, run);
  addLead(program, run);
  addDelivery(program, run);
  addNumber(program, run);
  addConsent(program, run);
  addText(program, run);
  addReport(program, run);
  return program;
}

/** A command whose errors are `UsageError`s that carry its usage. */
class AdminCommand extends Command {
  override createCommand(name?: string): Command {
    return new AdminCommand(name);
  }

  override error(message: string, _options?: ErrorOptions): never {
    const reason = message
      .replace(/^error: /, "")
      .replace(/^unknown command '(.*)'/, 'there is no command "$1"')
      .replaceAll("\n", " ");
    const help = this.createHelp();
    const usage = `usage: ${help.commandUsage(this)}\n\nMore: ${commandLine(this)} --help`;
    throw new UsageError(reason, usage);
  }
}

/** The words that call a command: `npm run admin -- key create`. */
function commandLine(command: Command): string {
  return command.parent ? `${commandLine(command.parent)} ${command.name()}` : command.name();
}
