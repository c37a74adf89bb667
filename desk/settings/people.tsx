import { useQuery } from "@tanstack/react-query";
import CalendarClock from "lucide-react/icons/calendar-clock";
import CirclePause from "lucide-react/icons/circle-pause";
import CirclePlay from "lucide-react/icons/circle-play";
import LogOut from "lucide-react/icons/log-out";
import Mail from "lucide-react/icons/mail";
import Shield from "lucide-react/icons/shield";
import UserRoundPlus from "lucide-react/icons/user-round-plus";
import { useState } from "react";
import { Link } from "wouter";
import { inboxQueries } from "../data/inbox.ts";
import { changeMember, type Invitation, invite, type MemberChanges } from "../data/members.ts";
import { usePages } from "../data/pages.ts";
import { type Member, teamQueries, type Work } from "../data/team.ts";
import type { Agent } from "../data/user.ts";
import { ActionError, problemOf, useAction } from "../ui/action.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Badge } from "../ui/badge.tsx";
import { cappedText } from "../ui/count.ts";
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
    <section aria-label="People">
      <p className="buttons">
        <button type="button" className="primary" onClick={() => setOpen({ part: "invite" })}>Invite an agent</button>
        {agent !== null && <Nobodys agent={agent} />}
      </p>
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
          { title: "Role", cell: ({ role }) => role === "manager" ? <Badge meaning="info">manager</Badge> : "agent" },
          { title: "Status", cell: statusOf },
          { title: "Takes recruits", cell: takesRecruits },
          ...agent === null ? [] : WORK,
        ]}
        menuOf={(member) => actsOn(member, agencyId, member.id === agent?.id, setOpen)}
      />
      {open?.part === "invite" && <Invite agencyId={agencyId} onClose={close} />}
      {open?.part === "away" && <Away member={open.member} onClose={close} />}
      {open?.part === "leave" && <Leave member={open.member} agencyId={agencyId} onClose={close} />}
    </section>
  );
}

function statusOf({ is_active, away_until, login }: Member) {
  if (!is_active) return <Badge>deactivated</Badge>;
  if (away_until !== null) return <Badge meaning="warn">away until {away_until}</Badge>;
  return LOGINS[login];
}

const LOGINS = {
  none: <Badge meaning="warn">no login</Badge>,
  invited: <Badge meaning="info">invited</Badge>,
  works: <Badge meaning="good">active</Badge>,
};

function takesRecruits({ is_active, accepts_recruits, role }: Member) {
  if (!is_active) return null;
  if (accepts_recruits) return "yes";
  return role === "manager" ? "no" : <Badge meaning="warn">no</Badge>;
}

const WORK: TableColumn<Member>[] = [
  { title: "Waiting", cell: ({ work }) => <Waiting work={work!} /> },
  { title: "Recruits, 7 days", cell: ({ work }) => work!.recruits_7_days, isNumber: true, isMinor: true },
];

function Nobodys({ agent }: { agent: Agent }) {
  const { data: { nobody } = { nobody: 0 } } = useQuery(inboxQueries.counts(agent));
  return nobody > 0 && <Link href="/inbox/nobody">Conversations without an agent: {cappedText(nobody)}</Link>;
}

function Waiting({ work: { id, waiting, unread, waiting_since } }: { work: Work }) {
  if (waiting === 0) return <Nothing words="nobody" />;
  return (
    <Link href="/inbox/waiting" state={{ agentId: id }}>
      {`${waiting} ${waiting === 1 ? "waits" : "wait"}${unread > 0 ? `, ${unread} unread` : ""}, longest: ${
        ago(waiting_since!)
      }`}
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
