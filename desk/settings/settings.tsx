import { Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import type { Agent } from "../data/user.ts";
import { chunk } from "../ui/chunk.ts";
import { Destinations } from "../ui/destinations.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/query_result.tsx";
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
      <Tabs
        label="Settings"
        tabs={Object.entries(TABS).map(([path, label]) => ({ href: `/settings${path}`, label }))}
      />
      <Switch>
        <Route path="/settings">
          <People agent={agent} />
        </Route>
        <Route path="/settings/agency">
          <AgencySettings agencyId={agent.agency_id} />
        </Route>
        <Route path="/settings/orders">
          <Orders agent={agent} />
        </Route>
        <Route path="/settings/bot">
          <Suspense fallback={<Skeleton />}>
            <Bot agencyId={agent.agency_id} />
          </Suspense>
        </Route>
        <Route path="/settings/quick-replies">
          <QuickReplies agent={agent} />
        </Route>
        <Route path="/settings/numbers">
          <Numbers agent={agent} />
        </Route>
        <Route path="/settings/destinations">
          <section aria-label="Destinations">
            <Destinations agencyId={agent.agency_id} />
          </section>
        </Route>
        <Route path="/settings/notifications">
          <NotifiedPeople agencyId={agent.agency_id} />
        </Route>
        <Route path="/settings/history">
          <History agencyId={agent.agency_id} />
        </Route>
        <Route>
          <Redirect to="/settings" replace />
        </Route>
      </Switch>
    </Page>
  );
}
