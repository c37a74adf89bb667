import { useQuery } from "@tanstack/react-query";
import { agentQueries } from "../data/agents.ts";
import { leave, type Leaving, leavingOptions } from "../data/members.ts";
import type { Member } from "../data/team.ts";
import { ActionError, useAction } from "../ui/action.tsx";
import { Drawer } from "../ui/drawer.tsx";
import { fullName } from "../ui/name.ts";
import { QueryResult } from "../ui/query_result.tsx";
import { showToast } from "../ui/toast.tsx";

/** The question before an agent leaves: what goes to whom. */
export function Leave({ member, agencyId, onClose }: { member: Member; agencyId: string; onClose: () => void }) {
  const query = useQuery(leavingOptions(member.id));
  const { data: agents = [] } = useQuery(agentQueries.active(agencyId, "agent_list"));
  const name = fullName(member);
  const leaving = useAction(async (fields: FormData) => {
    await leave(member.id, String(fields.get("to")) || null);
    showToast(`${name} has left.`, { meaning: "good" });
    onClose();
  });
  return (
    <Drawer
      title={
        <>
          Leave: <bdi>{name}</bdi>
        </>
      }
      onClose={onClose}
    >
      <QueryResult query={query} resource="agent's recruits">
        {(what) => (
          <form className="settings-form" onSubmit={leaving.onSubmit}>
            <p>
              <bdi>{name}</bdi> can no longer sign in: the login is deleted. {whatGoes(what)}
            </p>
            <label>
              All of that goes to
              <select name="to">
                <option value="">the agency, for managers to assign</option>
                {agents.filter(({ id }) => id !== member.id).map(({ id, name }) => (
                  <option key={id} value={id}>{name}</option>
                ))}
              </select>
            </label>
            <p className="quiet">
              Orders that name <bdi>{name}</bdi> go to the same agent; without one, they are paused.
            </p>
            <p className="buttons">
              <button type="submit" className="primary" aria-disabled={leaving.isRunning}>Leave</button>
              <button type="button" onClick={onClose}>Cancel</button>
            </p>
            <ActionError action={leaving} />
          </form>
        )}
      </QueryResult>
    </Drawer>
  );
}

function whatGoes({ recruiting_leads, sales_leads, conversations }: Leaving): string {
  const count = (n: number, one: string) => `${n.toLocaleString("en-US")} ${n === 1 ? one : `${one}s`}`;
  return `There are ${count(recruiting_leads, "recruit")}, ${count(sales_leads, "sales lead")} and ${
    count(conversations, "conversation")
  }.`;
}
