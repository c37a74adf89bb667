import type { AdminCommand } from "../command.ts";
import { explained } from "../errors.ts";
import { findAgency, type Row } from "../find.ts";
import { AGAIN, AGENCY_NAMES, columnsOf, type Given, LIMIT, text, timeOfDay } from "../options.ts";
import { removes } from "./remove.ts";
import { list, lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTime } from "../table.ts";
import { save } from "../transaction.ts";

const SETTINGS = {
  name: text("--name <text>", "the agency's name"),
  timezone: text("--timezone <zone>", "IANA time zone; the agency's day begins at midnight there"),
  opens_at: timeOfDay(
    "--opens-at <time>",
    "when its agents begin to answer recruits, Monday to Friday; 09:00 unless set",
  ),
  closes_at: timeOfDay("--closes-at <time>", "when they end; 18:00 unless set"),
};

export function addAgency(program: AdminCommand): void {
  const agency = program.noun("agency", "insurance agencies, which order leads");
  agency.verb("list", "every agency, with its agents and open orders").reads(lists("agency_list", {
    order: "name, id",
    shown: ["id", "name", "timezone", "hours", "active_agents", "open_orders", "created_at"],
    none: "No agency is there yet: npm run admin -- agency create --help",
  }));

  const create = '--name "Lakeshore Insurance" --timezone America/Chicago';
  agency.verb("create", "a new agency", create)
    .needs(SETTINGS.name, SETTINGS.timezone)
    .takes(SETTINGS.opens_at, SETTINGS.closes_at, AGAIN)
    .runs(createAgency);

  const update = '"Lakeshore Insurance" --timezone America/New_York';
  agency.verb("update <agency>", `changes what is given; the agency by ${AGENCY_NAMES}`, update)
    .changes(SETTINGS)
    .takes(AGAIN)
    .runs(updateAgency);

  agency.verb("changes <agency>", "who has changed which setting of an agency, the last first", '"Lakeshore Insurance"')
    .takes(LIMIT)
    .reads(listChanges);

  const remove = "removes an agency that has never been used";
  agency.verb("remove <agency>", remove, '"Lakeshore Insurance"').runs(
    removes(
      "agency",
      () =>
        "remove what it has and has never been used, or close its orders and switch its agents off " +
        "(npm run admin -- order close, agent update <agent> --active false)",
    ),
  );
}

async function createAgency(session: Session, given: Given): Promise<Outcome> {
  const { sql } = session;
  const inserted = sql`insert into public.agencies ${sql(columnsOf(SETTINGS, given))} returning *`;
  const agency = await explained(save<Row<"agencies">>(session, "agency", inserted, given, {}), {
    "22023": `--timezone: "${given.timezone}" is not an IANA time zone, such as America/New_York`,
    "23514": "--closes-at: give a time after --opens-at",
  });
  return {
    data: agency,
    text: `Created the agency "${agency.name}" (${agency.id}). Next, its agents: ` +
      `npm run admin -- agent create --agency ${agency.id} --first-name <text>`,
  };
}

async function updateAgency(session: Session, name: string, given: Given): Promise<Outcome> {
  const { sql } = session;
  const { id } = await findAgency(sql, name);
  const changes = columnsOf(SETTINGS, given) as Record<string, string>;
  const changed = sql`select * from public.change_agency(${id}, ${sql.json(changes)})`;
  const agency = await save<Row<"agencies">>(session, "agency", changed, given, { changes });
  return { data: agency, text: `Changed the agency "${agency.name}".` };
}

async function listChanges({ sql }: Session, name: string, { limit }: { limit: number }): Promise<Outcome> {
  const { id, name: agency, timezone } = await findAgency(sql, name);
  const rows = await sql`
    select * from public.agency_change_list where agency_id = ${id} order by created_at desc, id desc limit ${limit}`;
  return list(rows, `Nobody has changed a setting of ${agency} yet.`, (row) => ({
    ...{ at: formatTime(row.created_at, timezone), by: row.changed_by, action: row.action, subject: row.subject },
    ...{ before: row.before, after: row.after },
  }));
}
