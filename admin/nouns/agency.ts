import type { AdminCommand } from "../command.ts";
import { explained } from "../errors.ts";
import { findAgency, type Row } from "../find.ts";
import { AGAIN, AGENCY_NAMES, columnsOf, type Given, text, timeOfDay } from "../options.ts";
import { removes } from "./remove.ts";
import { lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
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
  const agency = await saveAgency(session, given);
  return {
    data: agency,
    text: `Created the agency "${agency.name}" (${agency.id}). Next, its agents: ` +
      `npm run admin -- agent create --agency ${agency.id} --first-name <text>`,
  };
}

async function updateAgency(session: Session, name: string, given: Given): Promise<Outcome> {
  const { id } = await findAgency(session.sql, name);
  const agency = await saveAgency(session, given, id);
  return { data: agency, text: `Changed the agency "${agency.name}".` };
}

function saveAgency(session: Session, given: Given, id?: string): Promise<Row<"agencies">> {
  const columns = columnsOf(SETTINGS, given);
  return explained(save(session, "agency", columns, given, id === undefined ? {} : { changes: columns }, { id }), {
    "22023": `--timezone: "${given.timezone}" is not an IANA time zone, such as America/New_York`,
    "23514": "--closes-at: give a time after --opens-at",
  });
}
