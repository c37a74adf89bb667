import BellOff from "lucide-react/icons/bell-off";
import Check from "lucide-react/icons/check";
import type { MAIL_ABOUT } from "../data/mail.ts";
import { usePages } from "../data/pages.ts";
import { getsAlerts, type Member, teamQueries } from "../data/team.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Badge } from "../ui/badge.tsx";
import { countOf } from "../ui/count.ts";
import { fullName } from "../ui/name.ts";
import { Table } from "../ui/table.tsx";

/** The heads of what agents may be mailed about, by the keys of MAIL_ABOUT. */
const MAILS: Record<keyof typeof MAIL_ABOUT, string> = {
  lead: "E-mail: new lead",
  recruit_waiting: "E-mail: waits 15 min",
};

/**
 * How each active agent is notified. The agents choose it, each in the menu of the account.
 *
 * @param agentId the agent who reads it; null: an operator does
 */
export function NotifiedPeople({ agencyId, agentId }: { agencyId: string; agentId: string | null }) {
  const query = usePages(teamQueries.members(agencyId, agentId === null));
  const people = query.data?.filter(({ is_active }) => is_active);
  const isNobody = people?.some(getsAlerts) === false && !query.hasNextPage;
  return (
    <>
      <p className="quiet">
        Alerts reach people while no page of the desk is open. Each person turns on their own in the menu of their
        initials: “Notify me on this device” and “Mail me”.
      </p>
      {isNobody && (
        <p className="banner">
          <BellOff size={16} />
          <span>Nobody gets an alert while the desk is closed.</span>
          {agentId !== null && <button type="button" popoverTarget="account">Turn on mine</button>}
        </p>
      )}
      <Table
        query={{ ...query, data: people }}
        resource="agents"
        label="Notifications"
        empty={null}
        keyOf={({ id }) => id}
        nameOf={fullName}
        columns={[
          {
            title: "Name",
            isHeader: true,
            cell: (member) => <Avatar id={member.id} name={fullName(member)} isNamed />,
          },
          {
            title: "Device",
            isPlain: true,
            cell: (member) =>
              getsAlerts(member)
                ? <Chosen is={member.push_browsers > 0} words={countOf(member.push_browsers, "device", "devices")} />
                : (
                  <>
                    <span className="quiet">No alerts on</span>{" "}
                    {member.id === agentId && !isNobody && (
                      <button type="button" className="link" popoverTarget="account">Turn on mine</button>
                    )}
                  </>
                ),
          },
          ...Object.entries(MAILS).map(([about, title]) => ({
            title,
            cell: ({ mail_about }: Member) => <Chosen is={mail_about.includes(about)} />,
          })),
        ]}
      />
    </>
  );
}

/** Whether an agent has chosen it; `words` say how where it is a number. A phone leaves out what is off. */
function Chosen({ is, words = "On" }: { is: boolean; words?: string }) {
  return is ? <Badge meaning="good" icon={Check}>{words}</Badge> : <span className="nothing quiet">Off</span>;
}
