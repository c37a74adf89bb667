import { useState } from "react";
import { type Lead, leadQueries } from "../data/leads.ts";
import { usePages } from "../data/pages.ts";
import type { Agent } from "../data/user.ts";
import { ActionButton } from "../ui/action.tsx";
import { List } from "../ui/list.tsx";
import { fullName } from "../ui/name.ts";
import { Page } from "../ui/page.tsx";
import { DotSeparated } from "../ui/dot_separated.tsx";
import { phoneText } from "../ui/phone.ts";
import { Search, useDebounced } from "../ui/search.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";
import { openPresentation } from "./present.ts";

/** The sales leads of an agent, or of a manager's agency. */
export function Sales({ agent }: { agent: Agent }) {
  const [typed, setTyped] = useState("");
  const isManager = agent.role === "manager";
  const query = usePages(leadQueries.list(agent.agency_id, isManager ? null : agent.id, useDebounced(typed)));
  return (
    <Page title="Sales leads" isTitleHidden>
      <List
        query={query}
        resource="sales leads"
        filters={<Search value={typed} onChange={setTyped} />}
        empty={<NoLeads typed={typed} />}
        className="people"
        keyOf={({ id }) => id}
        row={(lead) => (
          <li>
            <LeadRow lead={lead} isManager={isManager} />
          </li>
        )}
      />
    </Page>
  );
}

function LeadRow({ lead, isManager }: { lead: Lead; isManager: boolean }) {
  const { phone, phone_e164, state, type, stage, agents, lead_metrics } = lead;
  const { presentations_submitted = 0, sales = 0, last_activity_at = null } = lead_metrics ?? {};
  return (
    <article>
      <span className="name">
        <bdi>{fullName(lead)}</bdi> <span className="badge">{stage}</span>
      </span>
      <span className="quiet">
        <DotSeparated>
          {phone_e164 === null ? phone : <a href={`tel:${phone_e164}`}>{phoneText(phone_e164)}</a>}
          {state}
          {type.toUpperCase()}
          {isManager && agents && <bdi>{fullName(agents)}</bdi>}
        </DotSeparated>
      </span>
      <span className="quiet">
        {last_activity_at === null ? "not presented yet" : (
          <>
            {count(presentations_submitted, "presentation")} · {count(sales, "sale")} · last activity{" "}
            <Time at={last_activity_at} />
          </>
        )}
      </span>
      <ActionButton act={() => openPresentation(lead)}>
        Present<span className="visually-hidden">
          to <bdi>{fullName(lead)}</bdi>
        </span>
      </ActionButton>
    </article>
  );
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

function NoLeads({ typed }: { typed: string }) {
  if (typed !== "") {
    return <EmptyState title="Nobody is found.">Look for another part of the name or number.</EmptyState>;
  }
  return (
    <EmptyState title="There are no sales leads yet.">They stand here as soon as your agency imports some.</EmptyState>
  );
}
