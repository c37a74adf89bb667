import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { agentQueries } from "../data/agents.ts";
import { assignConversations } from "../data/conversation_changes.ts";
import type { Agent } from "../data/user.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { showToast } from "../ui/toast.tsx";

/** The most conversations that the service gives away at once. */
const MOST = 200;

/** The bar by which a manager gives several conversations to one agent. `ids`: of the rows that are shown. */
export function AssignMany({ agent, ids, selected, setSelected, onEnd }: {
  agent: Agent;
  ids: string[];
  selected: ReadonlySet<string>;
  setSelected: (selected: ReadonlySet<string>) => void;
  onEnd: () => void;
}) {
  const { data: agents = [] } = useQuery(agentQueries.active(agent.agency_id));
  const [chosen, setChosen] = useState("");
  const name = agents.find(({ id }) => id === chosen)?.name;
  // What another list has is not given away unseen.
  const those = ids.filter((id) => selected.has(id));
  const count = `${those.length} ${those.length === 1 ? "conversation" : "conversations"}`;

  async function assign(): Promise<void> {
    const given = await assignConversations(those, chosen);
    const others = those.length - given;
    showToast(
      <>
        {given} given to <bdi>{name}</bdi>.{others > 0 && ` ${others} stayed as they were.`}
      </>,
      { meaning: "good" },
    );
    onEnd();
  }

  return (
    <div className="buttons" role="group" aria-label="Selected conversations">
      <span role="status">{count} selected</span>
      <button type="button" className="link" onClick={() => setSelected(new Set(ids.slice(0, MOST)))}>
        {ids.length > MOST ? `The first ${MOST}` : "All that are shown"}
      </button>
      <button type="button" className="link" onClick={onEnd}>Cancel</button>
      <select aria-label="Give them to" value={chosen} onChange={(event) => setChosen(event.target.value)}>
        <option value="">Give them to…</option>
        {agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
      </select>
      {those.length > MOST && <span className="problem">At most {MOST} at once.</span>}
      {name !== undefined && those.length > 0 && those.length <= MOST && (
        <ConfirmButton
          label="Give"
          question={
            <p>
              {count} will be <bdi>{name}</bdi>’s. The bot says nothing more in them.
            </p>
          }
          act={assign}
        />
      )}
    </div>
  );
}
