import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { agencyQueries } from "../data/agency.ts";
import { agentQueries } from "../data/agents.ts";
import { NO_STATE, operatorQueries } from "../data/operator.ts";
import { useCreateOrder } from "../data/operator_orders.ts";
import { ActionError, problemOf, useAction } from "../ui/action.tsx";
import { Drawer } from "../ui/drawer.tsx";
import { Field } from "../ui/field.tsx";
import { useParameter } from "../ui/location.ts";

/** The address of the form, with the state that the order wants; null: leads without one too. */
export function newOrderPath(state: string | null): string {
  return `/operator/orders?new=${state ?? NO_STATE}`;
}

/** A button that opens the form for a new order, of this agency or of one that is chosen. The address may open it too. */
export function NewOrder({ agencyId }: { agencyId?: string }) {
  const [state, setState] = useParameter("new");
  return (
    <>
      <button type="button" className="primary" onClick={() => setState(NO_STATE)}>New order</button>
      {state !== null && <OrderDrawer agencyId={agencyId} state={state} onClose={() => setState(null)} />}
    </>
  );
}

function OrderDrawer({ agencyId, state, onClose }: { agencyId?: string; state: string; onClose: () => void }) {
  const [chosen, choose] = useState(agencyId ?? "");
  const { data: agencies = [] } = useQuery({ ...agencyQueries.names(), enabled: agencyId === undefined });
  const { data: agents = [] } = useQuery({ ...agentQueries.active(chosen, "agent_list"), enabled: chosen !== "" });
  const { data: vendors = [] } = useQuery(operatorQueries.vendorNames());
  const { mutateAsync: create } = useCreateOrder();
  const [, navigate] = useLocation();
  const creating = useAction(async (fields: FormData) => {
    navigate(`/operator/orders/${await create(settingsOf(fields, chosen))}`);
  });
  const field = (name: string, label: string) => ({ name, label, problem: problemOf(creating, name) });
  return (
    <Drawer title="New order" onClose={onClose}>
      <form className="order-form" onSubmit={creating.onSubmit}>
        {agencyId === undefined && (
          <Field
            label="Agency"
            required
            value={chosen}
            onChange={({ target }) => choose(target.value)}
          >
            <option value="">Choose an agency</option>
            {agencies.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
          </Field>
        )}
        <Field {...field("quantity", "Leads in all")} inputMode="numeric" required />
        <Field {...field("daily_cap", "Leads a day, at most")} inputMode="numeric" placeholder="no limit" />
        <Field
          {...field("states", "States")}
          defaultValue={state === NO_STATE ? "" : state}
          placeholder="any"
          hint="Two letters each, such as IL, IN. Leads without a state go to orders of any state."
        />
        <Field {...field("vendor_id", "Vendor")}>
          <option value="">Any vendor</option>
          {vendors.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </Field>
        <Field {...field("agent_id", "Agent")}>
          <option value="">The agents take turns</option>
          {agents.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </Field>
        <Field
          {...field("priority", "Priority")}
          type="number"
          defaultValue={0}
          hint="The order with the highest number goes first."
        />
        <Field {...field("starts_at", "Begins")} type="datetime-local" hint="In the time zone of the agency." />
        <Field {...field("ends_at", "Ends")} type="datetime-local" />
        <Field
          {...field("greeting_template", "Greeting")}
          rows={4}
          placeholder="none"
          hint="It must contain {agency} and STOP. It may have {first_name} and {agent}."
        />
        <p className="quiet">
          It is open at once. Leads that wait already are distributed by hand. It is noted with your name.
        </p>
        <p className="buttons">
          <button type="submit" className="primary" aria-disabled={creating.isRunning}>Create the order</button>
        </p>
        <ActionError action={creating} fields={FIELDS} />
      </form>
    </Drawer>
  );
}

const NUMBERS = ["quantity", "daily_cap", "priority"];
const FIELDS = [...NUMBERS, "states", "vendor_id", "agent_id", "starts_at", "ends_at", "greeting_template"];

/** The columns that are set. The database says what is wrong with one. */
function settingsOf(fields: FormData, agency_id: string) {
  const given = [...fields].map(([name, value]) => [name, String(value).trim()] as const).filter(([, value]) => value);
  return {
    agency_id,
    ...Object.fromEntries(given.map(([name, value]) => [
      name,
      name === "states"
        ? value.toUpperCase().split(/[\s,]+/)
        : NUMBERS.includes(name) && /^-?\d+$/.test(value)
        ? Number(value)
        : value,
    ])),
  };
}
