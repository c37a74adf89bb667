import { Option } from "commander";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { CommandError } from "../errors.ts";
import { CONTACT, text } from "../options.ts";
import { list } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
import { pathOf } from "../terminal.ts";
import { visibleJson } from "../formats/visible.ts";
import { erasePerson, kindOf, subjectOf } from "./person_erase.ts";

export function addPerson(program: AdminCommand): void {
  const person = program.noun("person", "what is held of a person, and a person's right to it");

  const find = "what is held of a phone or an e-mail address, and of what was sent with it";
  person.verb("find", find, "+13125550142").addArgument(CONTACT).runs(findPerson);

  person.verb(
    "export",
    "all that is held of a person, as JSON",
    "maria@example.com --out maria.json",
  )
    .addArgument(CONTACT)
    .takes(text("--out <file>", "write it there, and not to the terminal"))
    .runs(exportPerson);

  person.verb(
    "erase",
    "forgets a person for good, but not what was said about texts",
    "+13125550142",
  )
    .addArgument(CONTACT)
    .takes(new Option("--never-again", "keep hashes of the person's numbers and addresses, as suppressions"))
    .addHelpText(
      "after",
      "\nDeletes the copies at Twilio and the files in storage first: it takes TWILIO_ACCOUNT_SID and its login from" +
        "\nthe environment, and for a hosted project SUPABASE_URL and SUPABASE_SECRET_KEY. If that fails, nothing is" +
        "\nerased in the database, and it can be repeated.",
    )
    .runs(erasePerson);
}

async function findPerson({ sql }: Session, contact: string): Promise<Outcome> {
  const held = await sql`select * from public.find_person(${contact}) order by stays, kind, at`;
  return { ...list(held, `Nothing is held of ${contact}.`), shows: { by: kindOf(contact) } };
}

async function exportPerson(
  { sql, note }: Session,
  contact: string,
  { out }: { out?: string },
): Promise<Outcome> {
  const held = await valueOf<object>(sql`select public.export_person(${contact})`);
  const subject = await subjectOf(sql, contact);
  if (out === undefined) return { data: held, text: visibleJson(held), shows: subject };
  await note(subject);
  try {
    await Deno.writeTextFile(pathOf(out), `${visibleJson(held)}\n`, {
      mode: 0o600,
      createNew: true,
    });
  } catch (error) {
    throw new CommandError(`Nothing was written: ${(error as Error).message}`);
  }
  return { data: { file: out }, text: `Wrote ${out}.` };
}
