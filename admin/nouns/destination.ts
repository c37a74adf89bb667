import { Option } from "commander";
import type postgres from "postgres";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { CommandError, UsageError } from "../errors.ts";
import { findAgency, findDestination, idOf } from "../find.ts";
import { lists } from "../lists.ts";
import {
  AGENCY,
  boolean,
  columnsOf,
  DRY_RUN,
  email,
  type Given,
  integer,
  ONLY_AGENCY,
  orNone,
  text,
} from "../options.ts";
import type { Outcome, Session } from "../session.ts";
import { formatFields } from "../table.ts";
import { tryExpressions } from "./destination_expressions.ts";
import { awaitAttempt, responseOf } from "./dispatch.ts";

const SETTINGS = {
  url: text("--url <url>", "sends each event there by HTTP: an https address"),
  address: email("--email <address>", "sends each event there by mail"),
  events: new Option("--events <list>", "which events, such as lead.distributed,lead.returned").argParser(readList),
  order_id: orNone(text("--order <order>", "only leads of this order")),
  template: orNone(text("--template <expression>", "JMESPath: makes the body from the event")),
  accepted_when: orNone(text("--accepted-when <expression>", "JMESPath on {status, body}; a 2xx, unless given")),
  rejected_when: orNone(
    text("--rejected-when <expression>", "JMESPath on {status, body}: a final no; never, unless given"),
  ),
  returns_rejected: boolean("--returns-rejected [boolean]", "returns a lead that was rejected").preset("true"),
  max_at_once: integer("--max-at-once <number>", "how many at the same time, 16 at most; 4 unless given", 1),
  headers: new Option(
    "--header <header>",
    '"Name: value", sent with each request; "Name:" removes it; three at most',
  )
    .argParser(readHeader),
};

type Changes = Record<string, postgres.JSONValue>;

export function addDestination(program: AdminCommand): void {
  const about = "where events of an agency's leads are sent: by HTTP to its own system, or by mail";
  const destination = program.noun("destination", about);
  destination.verb("list", "destinations, and how they do")
    .takes(ONLY_AGENCY)
    .reads(lists("destination_list", {
      order: "agency nulls first, name",
      none: "There is no destination: npm run admin -- destination create --help",
      shown: [
        "agency",
        "name",
        "kind",
        "is_on",
        "events",
        "waiting",
        "failed_24h",
        "last_delivered_at",
        "last_failure",
      ],
    }));

  const create = 'crm --agency "Lakeshore Insurance" --url https://crm.example.com/leads';
  destination.verb("create <name>", "a new destination, whose secret is shown once", create)
    .needs(AGENCY)
    .takes(...Object.values(SETTINGS), DRY_RUN)
    .refuses((_: string, { url, email }: Given) =>
      (url === undefined) === (email === undefined) && "give one of --url and --email"
    )
    .runs(createDestination);

  const verb = (name: string, description: string, example = "") =>
    destination.verb(`${name} <destination>`, description, `crm ${example}`).takes(ONLY_AGENCY);
  verb("show", "a destination by its name or id, without its secrets").reads(showDestination);
  verb("update", "changes what is given, and nothing else", "--events lead.distributed,recruit.replied")
    .changes(SETTINGS).takes(DRY_RUN).runs(updateDestination);
  verb("test", "sends an event `test`, and shows what comes back").runs(testDestination);
  verb("pause", "holds what is to be sent").runs(setState(false, "is paused: what is to be sent waits"));
  verb("resume", "sends what was held, and what comes").runs(setState(true, "is on"));
  verb("rotate", "a new signing secret; for a day requests are signed with the old one too").runs(rotateSecret);
  verb("remove", "removes it, with what waits and its log").runs(removeDestination);
}

function readList(given: string): string[] {
  return given.split(",").map((each) => each.trim()).filter(Boolean);
}

function readHeader(given: string, others: Record<string, string | null> = {}): Record<string, string | null> {
  const [, name, value] = /^([\w-]+):\s*(.*?)\s*$/.exec(given) ?? [];
  // The value is a secret, so it is not repeated.
  if (name === undefined) throw new UsageError('--header: give "Name: value", or "Name:" to take it away');
  return { ...others, [name]: value || null };
}

/** The settings that a command line gives, as `save_destination()` takes them. */
async function changesOf(sql: postgres.Sql, given: Given): Promise<Changes> {
  const changes = columnsOf(SETTINGS, given) as Changes;
  if (typeof changes.order_id === "string") changes.order_id = await idOf(sql, "order", changes.order_id);
  const kind = given.url !== undefined ? "webhook" : given.email !== undefined ? "email" : undefined;
  return { ...(kind && { kind }), ...changes };
}

async function createDestination(session: Session, name: string, given: Given & { agency: string }): Promise<Outcome> {
  const { sql, act } = session;
  const { id: agency_id, name: agency } = await findAgency(sql, given.agency);
  const changes = await changesOf(sql, given);
  const tried = await tryExpressions(sql, agency_id, changes);
  if (given.dryRun) return { ...tried, shows: { agency_id, ...tried.shows, dry_run: true } };
  const saved = await act(async (transaction) => {
    const [known] = await transaction`
      select from public.destinations d where d.agency_id = ${agency_id} and d.name = lower(btrim(${name}))`;
    if (known !== undefined) {
      throw new CommandError(
        `${agency} has a destination "${name}" already: npm run admin -- destination update ${name} --agency ${agency_id}`,
      );
    }
    return await valueOf<{ id: string; secret?: string }>(
      transaction`select public.save_destination(${agency_id}, ${name}, ${sql.json(changes)})`,
    );
  }, ({ id }) => ({ destination_id: id, agency_id }));
  const secret = saved.secret
    ? ` Its signing secret, shown only this once:\n\n  ${saved.secret}\n\nHow a receiver uses it: docs/destinations.md.`
    : "";
  return {
    data: saved,
    text: `Created the destination ${name} of "${agency}".${secret} ` +
      `Try it: npm run admin -- destination test ${name} --agency ${agency_id}`,
    warnings: tried.warnings,
  };
}

async function updateDestination(
  { sql, act }: Session,
  name: string,
  given: Given & { agency?: string },
): Promise<Outcome> {
  const destination = await findOfAgency(sql, name, given.agency);
  const { id: destination_id, agency_id } = destination;
  const changes = await changesOf(sql, given);
  const tried = await tryExpressions(sql, agency_id, { ...destination, ...changes });
  if (given.dryRun) return { ...tried, shows: { destination_id, ...tried.shows, dry_run: true } };
  const saved = await act(
    (transaction) =>
      valueOf(transaction`select public.save_destination(${agency_id}, ${destination.name}, ${sql.json(changes)})`),
    { destination_id, changed: Object.keys(changes) },
  );
  return { data: saved, text: `Changed the destination ${destination.name}.`, warnings: tried.warnings };
}

async function showDestination({ sql }: Session, name: string, { agency }: { agency?: string }): Promise<Outcome> {
  const { place: _, ...destination } = await findDestination(sql, name, agency);
  return { data: destination, text: formatFields(destination) };
}

async function testDestination(session: Session, name: string, { agency }: { agency?: string }): Promise<Outcome> {
  const { id, name: known, is_on } = await findOfAgency(session.sql, name, agency);
  if (!is_on) throw new CommandError(`${known} is paused: npm run admin -- destination resume ${id}`);
  const dispatch_id = await session.act(
    (transaction) => valueOf<string>(transaction`select public.test_destination(${id})`),
    { destination_id: id },
  );
  const attempted = await awaitAttempt(session, dispatch_id);
  return {
    data: { dispatch_id, ...attempted },
    text: `The receiver has taken the test: ${responseOf(attempted)}`,
  };
}

/** Pauses or resumes a destination. */
function setState(isOn: boolean, is: string) {
  return async ({ sql, act }: Session, given: string, { agency }: { agency?: string }): Promise<Outcome> => {
    const { id, name, is_on } = await findOfAgency(sql, given, agency);
    await act(
      (transaction) => transaction`select public.set_destination_state(${id}, ${isOn})`,
      is_on === isOn ? () => null : { destination_id: id },
    );
    return { data: { id, name, is_on: isOn }, text: `The destination ${name} ${is}.` };
  };
}

async function rotateSecret({ sql, act }: Session, given: string, { agency }: { agency?: string }): Promise<Outcome> {
  const { id, name } = await findOfAgency(sql, given, agency);
  const secret = await act(
    (transaction) => valueOf<string>(transaction`select public.rotate_destination_secret(${id})`),
    { destination_id: id },
  );
  return {
    data: { id, name, secret },
    text: `A new signing secret for ${name}, shown only this once:\n\n  ${secret}\n\n` +
      "For a day requests are signed with the old one too, so that the receiver can take both.",
  };
}

async function removeDestination(
  { sql, confirm, act }: Session,
  given: string,
  { agency }: { agency?: string },
): Promise<Outcome> {
  const { id, name, agency: whose, waiting } = await findOfAgency(sql, given, agency);
  await confirm(`Remove the destination ${name} of "${whose}", with its log? Dispatches that wait for it: ${waiting}.`);
  await act((transaction) => transaction`select public.remove_destination(${id})`, { destination_id: id });
  return { data: { removed: id }, text: `Removed the destination ${name}.` };
}

/** Finds a destination that can be changed here. */
async function findOfAgency(sql: postgres.Sql, name: string, agency?: string) {
  const destination = await findDestination(sql, name, agency);
  const { agency_id } = destination;
  if (agency_id !== null) return { ...destination, agency_id };
  throw new CommandError("Alerts go to it, and ALERT_WEBHOOK_URL is its address: npm run admin -- alert test");
}
