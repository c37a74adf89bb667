import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { Link, Redirect, Route, Switch } from "wouter";
import { agencyQueries } from "../data/agency.ts";
import type { Agent } from "../data/user.ts";
import { chunk } from "../ui/chunk.ts";
import { Destinations } from "../ui/destinations.tsx";
import { Page } from "../ui/page.tsx";
import { QueryResult, Skeleton } from "../ui/query_result.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AgencySettings } from "./agency.tsx";
import { History } from "./history.tsx";
import { NotifiedPeople } from "./notified_people.tsx";
import { Numbers } from "./numbers.tsx";
import { Orders } from "./orders.tsx";
import { People } from "./people.tsx";
import { QuickReplies } from "./quick_replies.tsx";

// It has what reads the texts of recruits.
const Bot = chunk(async () => (await import("./bot.tsx")).Bot);

const TABS = {
  "": "People",
  "/agency": "Agency",
  "/orders": "Orders and greetings",
  "/bot": "Bot",
  "/quick-replies": "Quick replies",
  "/numbers": "Numbers",
  "/destinations": "Destinations",
  "/notifications": "Notifications",
  "/history": "History",
};

/** What a manager sees and changes of the agency, each part with its address. */
export function Settings({ agent }: { agent: Agent }) {
  return (
    <Page title="Settings" isTitleHidden className="settings">
      <Parts agencyId={agent.agency_id} agent={agent} orders={<Orders agent={agent} />} base="/settings" />
    </Page>
  );
}

/** The settings of any agency, for operators, who have its `orders` in a table, and its `problems` above all. */
export function OperatorSettings({ agencyId, orders, problems }: {
  agencyId: string;
  orders: ReactNode;
  problems: ReactNode;
}) {
  const query = useQuery(agencyQueries.one(agencyId));
  return (
    <Page title={query.data?.name ?? "Agency"} className="settings">
      <Link href="/operator/agencies" className="back">All agencies</Link>
      {problems}
      <QueryResult query={query} resource="agency">
        {() => <Parts agencyId={agencyId} agent={null} orders={orders} base={`/operator/agencies/${agencyId}`} />}
      </QueryResult>
    </Page>
  );
}

/** `agent` is the manager; null: an operator. `base` begins the addresses. */
function Parts({ agencyId, agent, orders, base }: {
  agencyId: string;
  agent: Agent | null;
  orders: ReactNode;
  base: string;
}) {
  return (
    <>
      <Tabs
        label="Settings"
        tabs={Object.entries(TABS).map(([path, label]) => ({
          href: base + path,
          // Below the agency's name, its word says nothing.
          label: path === "/agency" && agent === null ? "Settings" : label,
        }))}
      />
      <Switch>
        <Route path={base}>
          <People agencyId={agencyId} agent={agent} />
        </Route>
        <Route path={`${base}/agency`}>
          <AgencySettings agencyId={agencyId} />
        </Route>
        <Route path={`${base}/orders`}>{orders}</Route>
        <Route path={`${base}/bot`}>
          <Suspense fallback={<Skeleton />}>
            <Bot agencyId={agencyId} />
          </Suspense>
        </Route>
        <Route path={`${base}/quick-replies`}>
          <QuickReplies agencyId={agencyId} />
        </Route>
        <Route path={`${base}/numbers`}>
          <Numbers agencyId={agencyId} isOperator={agent === null} />
        </Route>
        <Route path={`${base}/destinations`}>
          <section aria-label="Destinations">
            {agent !== null && (
              <p className="quiet">The people who run the service set up destinations; ask them to change one.</p>
            )}
            <Destinations agency_id={agencyId} />
          </section>
        </Route>
        <Route path={`${base}/notifications`}>
          <NotifiedPeople agencyId={agencyId} agentId={agent?.id ?? null} />
        </Route>
        <Route path={`${base}/history`}>
          <History agencyId={agencyId} />
        </Route>
        <Route>
          <Redirect to={base} replace />
        </Route>
      </Switch>
    </>
  );
}
