import { Option } from "commander";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { lists } from "../lists.ts";
import { choice, CONTACT, CSV, futureTime, LIMIT, text, wrongCsv } from "../options.ts";
import type { Outcome, Session } from "../session.ts";
import { kindOf } from "./person_erase.ts";
import { importSuppressions } from "./suppression_import.ts";

const ENDS = futureTime("--ends <time>", "until when; for good, unless given");

export function addSuppression(program: AdminCommand): void {
  const suppression = program.noun("suppression", "people whose leads go to no agency, and whom nobody texts");

  const add = "suppresses the person with a phone or an e-mail address";
  suppression.verb("add", add, '+13125550142 --reason "asked not to be contacted"')
    .addArgument(CONTACT)
    .needs(text("--reason <text>", "why, in at most 500 characters"))
    .takes(ENDS)
    .runs(addOne);

  suppression.verb("remove", "takes a suppression back, also that of an erased person", "+13125550142")
    .addArgument(CONTACT)
    .runs(removeOne);

  suppression.verb("list", "all suppressions, the newest first", "--csv")
    .takes(choice("--state <state>", "only these", ["active", "ended"]), LIMIT, CSV)
    .refuses(wrongCsv)
    .runs(lists("suppression_list", {
      order: "created_at desc, kind desc, value desc",
      none: "Nobody is suppressed.",
      isOfPersons: true,
    }));

  suppression.verb("check", "whether a phone or an e-mail address is suppressed", "maria@example.com")
    .addArgument(CONTACT)
    .runs(checkOne);

  suppression.verb("import <csv>", "suppresses everybody in a file", 'dnc.csv --reason "state list of July"')
    .needs(text("--reason <text>", "why, for rows without a reason of their own"))
    .takes(ENDS, new Option("--dry-run", "read the file and say what would happen, but change nothing"))
    .addHelpText(
      "after",
      "\nThe first line names the columns: `phone`, `email` or both; `reason` and `ends_at` may be there too, and others are" +
        "\npassed over. A row that is wrong is named and left out, and the exit code is then 1. To import a file again changes" +
        "\nnothing. A suppression that is there never ends earlier than before.",
    )
    .runs(importSuppressions);
}

async function addOne(
  { act }: Session,
  contact: string,
  { reason, ends }: { reason: string; ends?: Date },
): Promise<Outcome> {
  const stored = await act(
    (transaction) =>
      valueOf<{ ends_at: string | null; is_new: boolean }>(
        transaction`select public.add_suppression(${contact}, ${reason}, ${ends ?? null})`,
      ),
    { by: kindOf(contact) },
  );
  const until = stored.ends_at === null ? "for good" : `until ${new Date(stored.ends_at).toISOString()}`;
  return { data: stored, text: `${contact} is ${stored.is_new ? "" : "still "}suppressed ${until}.` };
}

async function removeOne({ act }: Session, contact: string): Promise<Outcome> {
  await act((transaction) => transaction`select public.remove_suppression(${contact})`, { by: kindOf(contact) });
  return { data: { contact }, text: `${contact} is suppressed no more. Leads that were stored as suppressed stay so.` };
}

async function checkOne({ sql }: Session, contact: string): Promise<Outcome> {
  const kind = kindOf(contact);
  const [found] = await sql<{ state: string; reason: string; ends_at: Date | null }[]>`
    select * from public.suppression_list
    where kind = ${kind} and value in (${contact}, private.suppression_hash(${kind}, ${contact}))
    order by state, ends_at desc nulls first limit 1`;
  const isSuppressed = found?.state === "active";
  const until = found?.ends_at ? ` until ${found.ends_at.toISOString()}` : "";
  return {
    data: { contact, is_suppressed: isSuppressed, suppression: found ?? null },
    text: found === undefined
      ? `${contact} is not suppressed.`
      : `${contact} ${isSuppressed ? "is" : "was"} suppressed${until}: ${found.reason}`,
    shows: { by: kind },
  };
}
