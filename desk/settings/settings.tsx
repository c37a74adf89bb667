import { useQuery } from "@tanstack/react-query";
import Bell from "lucide-react/icons/bell";
import BotIcon from "lucide-react/icons/bot";
import Clock from "lucide-react/icons/clock";
import ClipboardList from "lucide-react/icons/clipboard-list";
import HistoryIcon from "lucide-react/icons/history";
import Phone from "lucide-react/icons/phone";
import Users from "lucide-react/icons/users";
import Webhook from "lucide-react/icons/webhook";
import Zap from "lucide-react/icons/zap";
import { type ReactNode, Suspense } from "react";
import { Link, Redirect, Route, Switch } from "wouter";
import { agencyQueries } from "../data/agency.ts";
import type { Agent } from "../data/user.ts";
import { chunk } from "../ui/chunk.ts";
import { Destinations } from "../ui/destinations.tsx";
import { useHasRail, useIsPhone } from "../ui/is_wide.ts";
import { Page } from "../ui/page.tsx";
import { QueryResult, Skeleton } from "../ui/query_result.tsx";
import { TabMenu, Tabs } from "../ui/tabs.tsx";
import { AgencySettings } from "./agency.tsx";
import { History } from "./history.tsx";
import { NotifiedPeople } from "./notified_people.tsx";
import { Numbers } from "./numbers.tsx";
import { Orders } from "./orders.tsx";
import { People } from "./people.tsx";
import { QuickReplies } from "./quick_replies.tsx";

// It has what reads the texts of recruits.
const Bot = chunk(async () => (await import("./bot.tsx")).Bot);

/** The parts in their order, each with the end of its address. The first of a group names it. */
const PARTS = [
  { path: "", label: "People", icon: Users, group: "Team" },
  { path: "/notifications", label: "Notifications", icon: Bell },
  { path: "/orders", label: "Orders and greetings", icon: ClipboardList, group: "Recruits" },
  { path: "/bot", label: "Bot", icon: BotIcon, group: "Texting" },
  { path: "/quick-replies", label: "Quick replies", icon: Zap },
  { path: "/numbers", label: "Numbers", icon: Phone },
  { path: "/agency", label: "Name and hours", icon: Clock, group: "Agency" },
  { path: "/destinations", label: "Destinations", icon: Webhook },
  { path: "/history", label: "History", icon: HistoryIcon },
] as const;

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
  const views: Record<typeof PARTS[number]["path"], ReactNode> = {
    "": <People agencyId={agencyId} agent={agent} />,
    "/notifications": <NotifiedPeople agencyId={agencyId} agentId={agent?.id ?? null} />,
    "/orders": orders,
    "/bot": (
      <Suspense fallback={<Skeleton />}>
        <Bot agencyId={agencyId} />
      </Suspense>
    ),
    "/quick-replies": <QuickReplies agencyId={agencyId} />,
    "/numbers": <Numbers agencyId={agencyId} isOperator={agent === null} />,
    "/agency": <AgencySettings agencyId={agencyId} />,
    "/destinations": (
      <>
        {agent !== null && (
          <p className="quiet">The people who run the service manage destinations. Ask them to change one.</p>
        )}
        <Destinations agency_id={agencyId} />
      </>
    ),
    "/history": <History agencyId={agencyId} />,
  };
  const tabs = { label: "Settings", tabs: PARTS.map(({ path, ...part }) => ({ ...part, href: base + path })) };
  const isPhone = useIsPhone();
  const hasList = useHasRail();
  return (
    <>
      <div className={agent === null ? "parts" : "parts frame-menu"}>
        {isPhone
          ? <TabMenu {...tabs} className={agent === null ? "" : "plain"} />
          : <Tabs key={String(hasList)} {...tabs} isList={hasList} />}
      </div>
      <Switch>
        {PARTS.map(({ path, label }) => (
          <Route key={path} path={base + path}>
            <section aria-labelledby="part" className="part">
              <h2 id="part">{label}</h2>
              {views[path]}
            </section>
          </Route>
        ))}
        <Route>
          <Redirect to={base} replace />
        </Route>
      </Switch>
    </>
  );
}
