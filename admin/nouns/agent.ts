import type { Command } from "commander";
import type postgres from "postgres";
import { type AgentRow, findAgency, findAgent } from "../find.ts";
import { boolean, choice, email, type Nullable, orNone, text, toColumns } from "../options.ts";
import type { Outcome, Run } from "../outcome.ts";
import { formatTable } from "../table.ts";
import { type Invitation, inviteAgent } from "./agent_invite.ts";
import { addNoun, addVerb, requireChange } from "../verb.ts";

/** What may be set of an agent; what is left out stays as it is. */
interface Settings {
  firstName?: string;
  lastName?: Nullable<string>;
  email?: Nullable<string>;
  phone?: Nullable<string>;
  role?: "agent" | "manager";
  active?: boolean;
  acceptsRecruits?: boolean;
}

export function addAgent(parent: Command, run: Run): void {
  const agent = addNoun(parent, "agent", "the people of the agencies, managers among them");
  const agency = (description: string) => text("--agency <agency>", description);
  const firstName = () => text("--first-name <text>", "the agent's first name");
  const rest = [
    () => orNone(text("--last-name <text>", "the agent's last name")),
    () => orNone(email("--email <address>", "the agent's e-mail address")),
    () => orNone(text("--phone <number>", "the agent's phone number")),
    () => choice("--role <role>", "a manager sees all of the agency's leads", ["agent", "manager"]),
    () =>
      boolean(
        "--accepts-recruits <true|false>",
        "whether the agent takes turns at recruiting leads; a manager does not unless told",
      ),
  ];

  addVerb(agent, "list", "agents, of all agencies or of one", 'list --agency "Lakeshore Insurance"')
    .addOption(agency("only this agency's; its id, the beginning of its id, or its name"))
    .action(({ agency }: { agency?: string }) => run(({ sql }) => listAgents(sql, agency)));

  const create = addVerb(
    agent,
    "create",
    "a new agent",
    'create --agency "Lakeshore Insurance" --first-name Maria --last-name Alvarez --email maria@example.com',
  )
    .addOption(
      agency("the agency: its id, the beginning of its id, or its name").makeOptionMandatory(),
    )
    .addOption(firstName().makeOptionMandatory());
  for (const option of rest) create.addOption(option());
  create.action((settings: Settings & { agency: string; firstName: string }) =>
    run(({ sql }) => createAgent(sql, settings))
  );

  const update = addVerb(
    agent,
    "update <agent>",
    "changes what is given; the agent by its id, the beginning of its id, or its e-mail address",
    "update maria@example.com --role manager --accepts-recruits true",
  ).addOption(firstName());
  for (const option of rest) update.addOption(option());
  update
    .addOption(
      boolean("--active <true|false>", "an inactive agent sees nothing and is given no recruit"),
    )
    .action((given: string, settings: Settings, command: Command) => {
      requireChange(settings, command);
      return run(({ sql }) => updateAgent(sql, given, settings));
    });

  addVerb(
    agent,
    "invite <agent>",
    "sends an agent an e-mail with a link to sign in",
    "invite maria@example.com --redirect-to https://crm.example.com/welcome",
  )
    .addOption(text("--redirect-to <url>", "the page of yours that the link leads to"))
    .option("--existing", "connect a login of the address that somebody else has made")
    .addHelpText(
      "after",
      "\nAgain, it sends another e-mail, until the link has been used. For a hosted project set SUPABASE_URL and" +
        "\nSUPABASE_SECRET_KEY, beside --db-url. The local stack sends no e-mail, but keeps it as a file.",
    )
    .action((given: string, invitation: Invitation) =>
      run((session) => inviteAgent(session, given, invitation))
    );
}

async function listAgents(sql: postgres.Sql, given: string | undefined): Promise<Outcome> {
  const agency = given === undefined ? undefined : await findAgency(sql, given);
  const agents = await sql`
    select a.id, a.agency_id, g.name as agency, a.first_name, a.last_name, a.email, a.phone, a.role,
      a.is_active, a.accepts_recruits, a.user_id, a.last_assigned_at
    from public.agents a
    join public.agencies g on g.id = a.agency_id
    where ${agency === undefined ? sql`true` : sql`g.id = ${agency.id}`}
    order by g.name, g.id, a.first_name, a.last_name, a.id`;
  const none = "There is no agent yet: npm run admin -- agent create --help";
  // The ids of others are for scripts; a person reads the names.
  const rows = agents.map(({ agency_id: _agency, user_id, ...row }) => ({
    ...row,
    has_login: user_id !== null,
  }));
  return { data: agents, text: agents.length > 0 ? formatTable(rows) : none };
}

async function createAgent(
  sql: postgres.Sql,
  settings: Settings & { agency: string },
): Promise<Outcome> {
  const agency = await findAgency(sql, settings.agency);
  const [agent] = await sql<[AgentRow]>`
    insert into public.agents ${sql({ agency_id: agency.id, ...columnsOf(settings) })} returning *`;
  return {
    data: agent,
    text: `Created the agent ${fullName(agent)} (${agent.id}) of "${agency.name}".`,
  };
}

async function updateAgent(sql: postgres.Sql, given: string, settings: Settings): Promise<Outcome> {
  const { id } = await findAgent(sql, given);
  const [agent] = await sql<[AgentRow]>`
    update public.agents set ${sql(columnsOf(settings))} where id = ${id} returning *`;
  return { data: agent, text: `Changed the agent ${fullName(agent)}.` };
}

function columnsOf(settings: Settings): Partial<AgentRow> {
  return toColumns<AgentRow>({
    first_name: settings.firstName,
    last_name: settings.lastName,
    email: settings.email,
    phone: settings.phone,
    role: settings.role,
    is_active: settings.active,
    accepts_recruits: settings.acceptsRecruits,
  });
}

function fullName({ first_name, last_name }: AgentRow): string {
  return last_name === null ? first_name : `${first_name} ${last_name}`;
}
