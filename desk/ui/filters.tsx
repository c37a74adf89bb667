import { useQuery } from "@tanstack/react-query";
import SlidersHorizontal from "lucide-react/icons/sliders-horizontal";
import { type ReactNode, useEffect, useId, useState } from "react";
import { agentQueries } from "../data/agents.ts";
import type { Agent } from "../data/user.ts";
import { IconButton } from "./icon_button.tsx";
import { useHasFilterLine } from "./is_wide.ts";
import { useParameter } from "./location.ts";
import { Search, useDebounced } from "./search.tsx";
import { STATE_NAMES } from "./state_names.ts";

/** A field whose words stand in the address as `q`, once the typing pauses. */
export function SearchField({ label }: { label: string }) {
  const [searched, setSearched] = useParameter("q");
  const [typed, setTyped] = useState(searched ?? "");
  const words = useDebounced(typed);
  useEffect(() => {
    if (words !== (searched ?? "")) setSearched(words || null);
    // Only what the user types changes the address.
  }, [words]);
  return <Search value={typed} onChange={setTyped} label={label} />;
}

/**
 * A choice that stands in the address.
 *
 * @param name its parameter
 * @param all the words for an address that names none
 * @param options the values with their words
 */
export function SelectField({ name, label, all, options }: {
  name: string;
  label: string;
  all: string;
  options: [value: string, words: string][];
}) {
  const [chosen, choose] = useParameter(name);
  return (
    <select aria-label={label} value={chosen ?? ""} onChange={({ target }) => choose(target.value || null)}>
      <option value="">{all}</option>
      {options.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
    </select>
  );
}

/**
 * The line above a list: its search, and its choices, behind a button where there is no room for them.
 *
 * @param search the label of the search
 * @param on what is chosen; null: nothing
 */
export function Filters({ search, on, children }: { search: string; on: (string | null)[]; children: ReactNode }) {
  const id = useId();
  const count = on.filter((chosen) => chosen !== null).length;
  return (
    <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <SearchField label={search} />
      {useHasFilterLine() ? children : (
        <>
          <IconButton
            icon={SlidersHorizontal}
            label={count === 0 ? "Filters" : `Filters (${count})`}
            isNamed
            popoverTarget={id}
          />
          <div id={id} popover="auto" className="menu is-form">{children}</div>
        </>
      )}
    </form>
  );
}

/** The choice of an agent of a manager's agency, as `agent`, or where it is asked for of those without one, as `none`. */
export function AgentFilter({ agent, hasNone = false }: { agent: Agent; hasNone?: boolean }) {
  const { data: agents = [] } = useQuery(agentQueries.active(agent.agency_id));
  const options = agents.map(({ id, name }): [string, string] => [id, name]);
  if (hasNone) options.unshift(["none", "No agent"]);
  return <SelectField name="agent" label="Agent" all="All agents" options={options} />;
}

/** The choice of a state, as `state`. */
export function StateFilter() {
  return <SelectField name="state" label="State" all="All states" options={[...STATE_NAMES]} />;
}

/** Which people of the agency the address asks for: whose, by which words, of which state. An agent sees the own ones. */
export function peopleOf(parameters: URLSearchParams, { id, agency_id, role }: Agent) {
  const state = parameters.get("state");
  return {
    agency_id,
    agent_id: role === "manager" ? parameters.get("agent") : id,
    typed: parameters.get("q") ?? "",
    state: state !== null && STATE_NAMES.has(state) ? state : null,
  };
}
