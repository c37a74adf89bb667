import Check from "lucide-react/icons/check";
import Minus from "lucide-react/icons/minus";
import { MAIL_ABOUT } from "../data/mail.ts";
import { usePages } from "../data/pages.ts";
import { type Member, teamQueries } from "../data/team.ts";
import { Avatar } from "../ui/avatar.tsx";
import { fullName } from "../ui/name.ts";
import { Table } from "../ui/table.tsx";

/** How each agent is notified. The agents choose it, each in the menu of the account. */
export function NotifiedPeople({ agencyId, isOperator }: { agencyId: string; isOperator: boolean }) {
  const query = usePages(teamQueries.members(agencyId, isOperator));
  return (
    <section aria-label="Notifications" className="notified">
      <p className="quiet">
        Each agent chooses these in the menu of the account. An open page always shows what is new.
      </p>
      <Table
        query={query}
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
            title: "On a device, with no page open",
            cell: ({ push_browsers: count }) => (
              <Chosen is={count > 0} words={count === 1 ? "1 device" : `${count} devices`} />
            ),
          },
          ...Object.entries(MAIL_ABOUT).map(([about, words]) => ({
            title: `E-mail: ${words.charAt(0).toLowerCase()}${words.slice(1)}`,
            cell: ({ mail_about }: Member) => <Chosen is={mail_about.includes(about)} />,
          })),
        ]}
      />
    </section>
  );
}

/** Whether an agent has chosen it, as a sign; `words` says it. */
function Chosen({ is, words }: { is: boolean; words?: string }) {
  return (
    <span className={is ? "chosen is-on" : "chosen"}>
      {is ? <Check size={16} /> : <Minus size={16} />}
      <span className={words && is ? undefined : "visually-hidden"}>{is ? words ?? "yes" : "no"}</span>
    </span>
  );
}
