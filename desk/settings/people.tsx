import CalendarClock from "lucide-react/icons/calendar-clock";
import CirclePause from "lucide-react/icons/circle-pause";
import CirclePlay from "lucide-react/icons/circle-play";
import LogOut from "lucide-react/icons/log-out";
import Mail from "lucide-react/icons/mail";
import Shield from "lucide-react/icons/shield";
import UserRoundPlus from "lucide-react/icons/user-round-plus";
import { useState } from "react";
import { Link } from "wouter";
import { changeMember, type Invitation, invite, type MemberChanges } from "../data/members.ts";
import { usePages } from "../data/pages.ts";
import { type Member, teamQueries, type Work } from "../data/team.ts";
import type { Agent } from "../data/user.ts";
import { ActionError, problemOf, useAction } from "../ui/action.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Badge } from "../ui/badge.tsx";
import { Drawer } from "../ui/drawer.tsx";
import { Field } from "../ui/field.tsx";
import type { MenuItem } from "../ui/menu.tsx";
import { Nothing } from "../ui/nothing.tsx";
import { fullName } from "../ui/name.ts";
import { Table, type TableColumn } from "../ui/table.tsx";
import { ago } from "../ui/time.tsx";
import { showToast } from "../ui/toast.tsx";
import { Leave } from "./leave.tsx";
import { changeAndSay, sayChanged, sayRefused } from "./say_changed.ts";

/** What is open beside the table. */
type Open = { part: "invite" } | { part: "away" | "leave"; member: Member };

/**
 * The agents, and what may be changed of them.
 *
 * @param agent the manager, who also sees what waits for each of them; null: an operator
 */
export function People({ agencyId, agent }: { agencyId: string; agent: Agent | null }) {
  const query = usePages(teamQueries.members(agencyId, agent === null));
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <button type="button" className="primary part-act" onClick={() => setOpen({ part: "invite" })}>
        Invite an agent
      </button>
      <p className="quiet">Agents get new recruits in turn, unless an order names one.</p>
      <Table
        query={query}
        resource="agents"
        label="People"
        empty={null}
        keyOf={({ id }) => id}
        nameOf={fullName}
        columns={[
          {
            title: "Name",
            isHeader: true,
            cell: (member) => <Avatar id={member.id} name={fullName(member)} isNamed />,
          },
          { title: "Role", isPlain: true, cell: roleOf },
          ...agent === null ? [] : WORK,
        ]}
        menuOf={(member) => actsOn(member, agencyId, member.id === agent?.id, setOpen)}
      />
      {open?.part === "invite" && <Invite agencyId={agencyId} onClose={close} />}
      {open?.part === "away" && <Away member={open.member} onClose={close} />}
      {open?.part === "leave" && <Leave member={open.member} agencyId={agencyId} onClose={close} />}
    </>
  );
}

/** Whether it is an agent or a manager, and what is different from one who works and takes recruits. */
function roleOf({ role, is_active, away_until, login, accepts_recruits }: Member) {
  const isManager = role === "manager";
  return (
    <>
      {isManager ? <Badge meaning="info">Manager</Badge> : <span className="quiet">Agent</span>}
      {!is_active && <Badge>deactivated</Badge>}
      {is_active && away_until !== null && <Badge meaning="warn">away until {away_until}</Badge>}
      {is_active && login === "none" && <Badge meaning="warn">no login</Badge>}
      {is_active && login === "invited" && <Badge meaning="info">invited</Badge>}
      {is_active && isManager && accepts_recruits && <Badge>takes recruits</Badge>}
      {is_active && !isManager && !accepts_recruits && <Badge meaning="warn">takes no recruits</Badge>}
    </>
  );
}

const WORK: TableColumn<Member>[] = [
  { title: "Waiting", cell: ({ work }) => <Waiting work={work!} />, isPlain: true },
  { title: "Recruits, 7 days", cell: ({ work }) => work!.recruits_7_days, isNumber: true, isMinor: true },
];

function Waiting({ work: { id, waiting, waiting_since } }: { work: Work }) {
  if (waiting === 0) return <Nothing words="nobody" />;
  return (
    <Link href="/inbox/waiting" state={{ agentId: id }}>
      {waiting} {waiting === 1 ? "waits" : "wait"}, {ago(waiting_since!)}
    </Link>
  );
}

function actsOn(member: Member, agency_id: string, isUser: boolean, open: (open: Open) => void): MenuItem[] {
  const name = fullName(member);
  const { first_name, last_name, role, is_active, accepts_recruits, away_until, login, email } = member;
  const item = (label: string, icon: MenuItem["icon"], words: string, changes: MemberChanges): MenuItem => ({
    label,
    icon,
    run: () => changeAndSay(words, () => changeMember(member, changes)),
  });
  if (!is_active) return [item("Let back in", UserRoundPlus, `${name} is back.`, { is_active: true })];
  const items: (MenuItem | false)[] = [
    role === "agent"
      ? item("Make a manager", Shield, `${name} is a manager now.`, { role: "manager" })
      : item("Make an agent", Shield, `${name} is an agent now.`, { role: "agent" }),
    accepts_recruits
      ? item("Give no more recruits", CirclePause, `${name} gets no more recruits.`, { accepts_recruits: false })
      : item("Give recruits again", CirclePlay, `${name} gets recruits again.`, { accepts_recruits: true }),
    away_until === null
      ? { label: "Away until…", icon: CalendarClock, run: () => open({ part: "away", member }) }
      : item("Back now", CalendarClock, `${name} is back.`, { away_until: null }),
    login !== "works" && email !== null && {
      label: login === "none" ? "Send an invitation" : "Send the invitation again",
      icon: Mail,
      run: () => sendInvitation({ agency_id, first_name, last_name, email, role }).catch(sayRefused),
    },
    !isUser && { label: "Leave…", icon: LogOut, isBad: true, run: () => open({ part: "leave", member }) },
  ];
  return items.filter((item) => item !== false);
}

async function sendInvitation(person: Invitation): Promise<void> {
  await invite(person);
  showToast(`An invitation is on its way to ${person.email}.`, { meaning: "good" });
}

const INVITED = ["first_name", "last_name", "email", "role"];

function Invite({ agencyId, onClose }: { agencyId: string; onClose: () => void }) {
  const inviting = useAction(async (fields: FormData) => {
    const text = (name: string) => String(fields.get(name)).trim();
    await sendInvitation({
      agency_id: agencyId,
      first_name: text("first_name"),
      last_name: text("last_name") || null,
      email: text("email"),
      role: text("role") as Member["role"],
    });
    onClose();
  });
  const field = (name: string) => ({ name, autoComplete: "off", problem: problemOf(inviting, name) });
  return (
    <Drawer title="Invite an agent" onClose={onClose}>
      <form className="settings-form" onSubmit={inviting.onSubmit} noValidate>
        <Field label="First name" {...field("first_name")} />
        <Field label="Last name" {...field("last_name")} />
        <Field label="E-mail" type="email" hint="The link to sign in is sent there." {...field("email")} />
        <Field
          label="Role"
          hint="An agent gets new recruits at once, before the first sign-in. “Give no more recruits” in the list stops that."
          {...field("role")}
        >
          <option value="agent">Agent: answers the own recruits</option>
          <option value="manager">Manager: sees and sets everything of the agency</option>
        </Field>
        <p className="buttons">
          <button type="submit" className="primary" aria-disabled={inviting.isRunning}>Send the invitation</button>
        </p>
        <ActionError action={inviting} fields={INVITED} />
      </form>
    </Drawer>
  );
}

function Away({ member, onClose }: { member: Member; onClose: () => void }) {
  const name = fullName(member);
  const saving = useAction(async (fields: FormData) => {
    const away_until = String(fields.get("away_until"));
    sayChanged(`${name} is away until ${away_until}.`, await changeMember(member, { away_until }));
    onClose();
  });
  return (
    <Drawer title={<bdi>{name}</bdi>} onClose={onClose}>
      <form className="settings-form" onSubmit={saving.onSubmit} noValidate>
        <Field
          label="Away until"
          name="away_until"
          type="date"
          problem={problemOf(saving, "away_until")}
          hint="The day of the return. Until it begins, new recruits go to the others, and managers hear of each text too."
        />
        <p className="buttons">
          <button type="submit" className="primary" aria-disabled={saving.isRunning}>Save</button>
        </p>
        <ActionError action={saving} fields={["away_until"]} />
      </form>
    </Drawer>
  );
}
