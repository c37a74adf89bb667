import type { AdminCommand } from "../command.ts";
import { findAgency, findAgent, type Row } from "../find.ts";
import {
  AGAIN,
  AGENCY,
  boolean,
  choice,
  columnsOf,
  day,
  email,
  type Given,
  ONLY_AGENCY,
  orNone,
  phone,
  text,
} from "../options.ts";
import { lists } from "../lists.ts";
import { fullName } from "../names.ts";
import type { Outcome, Session } from "../session.ts";
import { save } from "../transaction.ts";
import { formatTime } from "../table.ts";
import { inviteAgent } from "./agent_invite.ts";
import { leaveAgent } from "./agent_leave.ts";
import { removes } from "./remove.ts";

const FIRST_NAME = text("--first-name <text>", "the agent's first name");
const REST = {
  last_name: orNone(text("--last-name <text>", "the agent's last name")),
  email: orNone(email("--email <address>", "the agent's e-mail address")),
  phone: orNone(phone("--phone <number>", "the agent's phone number")),
  role: choice("--role <role>", "a manager sees all of the agency's leads", ["agent", "manager"]),
  accepts_recruits: boolean(
    "--accepts-recruits <true|false>",
    "whether the agent takes turns at recruiting leads; a manager does not unless told",
  ),
};
const SETTINGS = {
  first_name: FIRST_NAME,
  ...REST,
  is_active: boolean(
    "--active <true|false>",
    "an inactive agent sees nothing and is given no recruit",
  ),
  away_until: orNone(
    day("--away-until <day>", "no new recruits until that day begins in the agency's time zone, such as for a holiday"),
  ),
};

export function addAgent(program: AdminCommand): void {
  const agent = program.noun("agent", "the people of the agencies, managers among them");
  agent.verb("list", "agents, of all agencies or of one", '--agency "Lakeshore Insurance"')
    .takes(ONLY_AGENCY)
    .reads(lists("agent_list", {
      order: "agency, agency_id, agent, id",
      none: "No agent is there yet: npm run admin -- agent create --help",
      shown: ({ id, agency, agent, email, phone, role, last_assigned_at, ...row }) => ({
        ...{ id, agency, agent, email, phone, role, active: row.is_active },
        ...{ recruits: row.accepts_recruits, away_until: row.away_until },
        ...{ login: row.user_id !== null, last_assigned_at },
      }),
    }));

  const maria = "--first-name Maria --last-name Alvarez --email maria.alvarez@example.com";
  agent.verb("create", "a new agent", `--agency "Lakeshore Insurance" ${maria}`)
    .needs(AGENCY, FIRST_NAME)
    .takes(...Object.values(REST), AGAIN)
    .runs(createAgent);

  agent
    .verb(
      "update <agent>",
      "changes what is given; the agent by its name, e-mail address, id, or the beginning of one",
      '"Maria Alvarez" --role manager --accepts-recruits true',
    )
    .changes(SETTINGS)
    .takes(AGAIN)
    .addHelpText("after", "\nWhile an agent is away, managers are notified too of what the agent's recruits write.")
    .runs(updateAgent);

  const remove = "removes an agent who has never been used";
  agent.verb("remove <agent>", remove, "maria@example.com")
    .runs(removes("agent", ({ id }) => `npm run admin -- agent update ${id} --active false`));

  const leave = "gives all that an agent has to another one, or to the agency, and ends the login; shows it first";
  agent.verb("leave <agent>", leave, "olivia@example.com --to nora@example.com")
    .takes(text("--to <agent>", "who gets it; without one the agency, and its orders for the agent are paused"))
    .runs(leaveAgent);

  agent
    .verb(
      "invite <agent>",
      "sends an agent an e-mail with a link to sign in",
      "maria.alvarez@example.com --redirect-to https://crm.example.com/welcome",
    )
    .takes(text("--redirect-to <url>", "the page of yours that the link leads to"))
    .option("--existing", "connect a login of the address that somebody else has made")
    .addHelpText(
      "after",
      "\nAgain, it sends another e-mail, until the link has been used. For a hosted project set SUPABASE_URL and" +
        "\nSUPABASE_SECRET_KEY, beside --db-url. The local stack sends no e-mail, but keeps it as a file.",
    )
    .runs(inviteAgent);
}

async function createAgent(session: Session, given: Given & { agency: string }): Promise<Outcome> {
  const agency = await findAgency(session.sql, given.agency);
  const columns = { agency_id: agency.id, ...columnsOf(SETTINGS, given) };
  const inserted = session.sql`insert into public.agents ${session.sql(columns)} returning *`;
  const agent = await save<Row<"agents">>(session, "agent", inserted, given, { agency_id: agency.id });
  return {
    data: agent,
    text: `Created the agent ${fullName(agent)} (${agent.id}) of "${agency.name}".`,
  };
}

async function updateAgent(session: Session, name: string, given: Given): Promise<Outcome> {
  const { sql, confirm } = session;
  const old = await findAgent(sql, name);
  const isLast = sql`not exists (
    select from public.agents g
    where g.agency_id = ${old.agency_id} and g.is_active and g.id <> ${old.id}
  )`;
  const isOff = old.is_active && given.active === false;
  const [last] = isOff ? await sql`select where ${isLast}` : [];
  if (last !== undefined) {
    await confirm(`${fullName(old)} is the agency's last active agent: its leads go to nobody.`);
  }
  const unless = isOff && last === undefined ? isLast : sql`false`;
  const changes = columnsOf(SETTINGS, given) as Record<string, string>;
  const changed = sql`
    select c.* from public.agents a cross join lateral public.change_agent(a.id, ${sql.json(changes)}) c
    where a.id = ${old.id} and not (${unless})`;
  const agent = await save<Row<"agents">>(session, "agent", changed, given, { changed: Object.keys(changes) });
  const said = `Changed the agent ${fullName(agent)}`;
  if (typeof changes.away_until !== "string") return { data: agent, text: `${said}.` };
  const { name: agency, timezone } = await findAgency(sql, old.agency_id);
  const [{ nobody }] = await sql<[{ nobody: boolean }]>`
    select private.next_agent(${old.agency_id}, null) is null as nobody`;
  return {
    data: agent,
    text: `${said}, who gets no new recruits until ${formatTime(new Date(agent.away_until!), timezone)} ${timezone}.`,
    warnings: nobody ? [`Nobody of "${agency}" takes recruits now: its leads go to no agent.`] : [],
  };
}
