import type { Command } from "commander";
import type postgres from "postgres";
import { type AgencyRow, findAgency } from "../find.ts";
import { text } from "../options.ts";
import { explain, type Outcome, type Run } from "../outcome.ts";
import { formatTable } from "../table.ts";
import { addNoun, addVerb, requireChange } from "../verb.ts";

/** What may be set of an agency; what is left out of an update stays as it is. */
interface Settings {
  name?: string;
  timezone?: string;
}

export function addAgency(parent: Command, run: Run): void {
  const agency = addNoun(parent, "agency", "insurance agencies, which order leads");
  const name = () => text("--name <text>", "the agency's name");
  const timezone = () =>
    text("--timezone <zone>", "IANA time zone; the agency's day begins at midnight there");

  addVerb(agency, "list", "every agency, with its agents and open orders", "list")
    .action(() => run(({ sql }) => listAgencies(sql)));

  addVerb(
    agency,
    "create",
    "a new agency",
    'create --name "Lakeshore Insurance" --timezone America/Chicago',
  )
    .addOption(name().makeOptionMandatory())
    .addOption(timezone().makeOptionMandatory())
    .action((settings: Required<Settings>) => run(({ sql }) => createAgency(sql, settings)));

  addVerb(
    agency,
    "update <agency>",
    "changes what is given; the agency by its id, the beginning of its id, or its name",
    'update "Lakeshore Insurance" --timezone America/New_York',
  )
    .addOption(name())
    .addOption(timezone())
    .action((given: string, settings: Settings, command: Command) => {
      requireChange(settings, command);
      return run(({ sql }) => updateAgency(sql, given, settings));
    });
}

async function listAgencies(sql: postgres.Sql): Promise<Outcome> {
  const agencies = await sql`
    select a.id, a.name, a.timezone,
      (select count(*) from public.agents g where g.agency_id = a.id and g.is_active)::int
        as active_agents,
      (select count(*) from public.recruiting_orders o where o.agency_id = a.id and o.status = 'open')::int
        as open_orders,
      a.created_at
    from public.agencies a order by a.name, a.id`;
  const none = "There is no agency yet: npm run admin -- agency create --help";
  return { data: agencies, text: agencies.length > 0 ? formatTable(agencies) : none };
}

async function createAgency(sql: postgres.Sql, settings: Required<Settings>): Promise<Outcome> {
  try {
    const [agency] = await sql<[AgencyRow]>`
      insert into public.agencies (name, timezone)
      values (${settings.name}, ${settings.timezone}) returning *`;
    return {
      data: agency,
      text: `Created the agency "${agency.name}" (${agency.id}). Next, its agents: ` +
        `npm run admin -- agent create --agency ${agency.id} --first-name <text>`,
    };
  } catch (error) {
    throw explainTimezone(error, settings.timezone);
  }
}

async function updateAgency(
  sql: postgres.Sql,
  given: string,
  { name, timezone }: Settings,
): Promise<Outcome> {
  const old = await findAgency(sql, given);
  try {
    const [agency] = await sql<[AgencyRow]>`
      update public.agencies
      set name = ${name ?? old.name}, timezone = ${timezone ?? old.timezone}
      where id = ${old.id} returning *`;
    return { data: agency, text: `Changed the agency "${agency.name}".` };
  } catch (error) {
    throw explainTimezone(error, timezone);
  }
}

function explainTimezone(error: unknown, timezone: string | undefined): unknown {
  return explain(error, {
    "22023": `--timezone: "${timezone}" is not an IANA time zone, such as America/New_York`,
  });
}
