import { useQuery } from "@tanstack/react-query";
import Building from "lucide-react/icons/building-2";
import ClipboardList from "lucide-react/icons/clipboard-list";
import Hourglass from "lucide-react/icons/hourglass";
import ListChecks from "lucide-react/icons/list-checks";
import MessageCircleQuestion from "lucide-react/icons/message-circle-question-mark";
import MessageCircleWarning from "lucide-react/icons/message-circle-warning";
import PackageX from "lucide-react/icons/package-x";
import Phone from "lucide-react/icons/phone";
import ScrollText from "lucide-react/icons/scroll-text";
import Search from "lucide-react/icons/search";
import Store from "lucide-react/icons/store";
import UserPlus from "lucide-react/icons/user-plus";
import Webhook from "lucide-react/icons/webhook";
import { type ReactNode, Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import { operatorCounts } from "../data/operator_counts.ts";
import { chunk } from "../ui/chunk.ts";
import { countText } from "../ui/count.ts";
import type { Icon } from "../ui/icon_button.tsx";
import { useIsBroad, useIsPhone } from "../ui/is_wide.ts";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/query_result.tsx";
import { type Tab, TabMenu, Tabs } from "../ui/tabs.tsx";
import { Utc } from "../ui/time.tsx";
import { Actions } from "./actions.tsx";
import { Agencies } from "./agencies.tsx";
import { AgencyProblems } from "./agency_problems.tsx";
import { Deliveries } from "./deliveries.tsx";
import { AllDestinations, OneDestination } from "./destinations.tsx";
import { GroupView } from "./group.tsx";
import { Duplicates } from "./duplicates.tsx";
import { FoundDelivery } from "./found_delivery.tsx";
import { Jobs } from "./jobs.tsx";
import { LeadView } from "./lead_view.tsx";
import { AllLeads } from "./newest_leads.tsx";
import { Numbers } from "./numbers.tsx";
import { OrderView } from "./order.tsx";
import { FoundOrders, Orders } from "./orders.tsx";
import { SearchLeads } from "./search_leads.tsx";
import { Texts } from "./texts.tsx";
import { Today } from "./today.tsx";
import { FailedTexts, UnsentTexts } from "./unsent_texts.tsx";
import { useTroubles } from "./troubles.ts";
import { Vendors } from "./vendors.tsx";
import { Waiting } from "./waiting.tsx";
import { WaitingRecruits } from "./waiting_recruits.tsx";

const MappingView = chunk(async () => (await import("./mapping.tsx")).MappingView);

/** What is shown of an agency with its settings. */
export interface AgencyParts {
  agencyId: string;
  orders: ReactNode;
  problems: ReactNode;
}

/** The pages of operators of the whole service. `settingsOf` shows the settings of an agency. */
export function Operator({ settingsOf }: { settingsOf: (parts: AgencyParts) => ReactNode }) {
  return (
    // The commands and the words of the database are in UTC too.
    <Utc value>
      <Views />
      <Switch>
        <Route path="/operator" component={Today} />
        <Route path="/operator/search" component={SearchLeads} />
        <Route path="/operator/search/:id">{({ id }) => <LeadView key={id} id={id!} />}</Route>
        <Route path="/operator/deliveries" component={Deliveries} />
        <Route path="/operator/deliveries/:id">{({ id }) => <FoundDelivery key={id} id={id!} />}</Route>
        <Route path="/operator/deliveries/:vendor_id/:code/:reason">
          {({ vendor_id, code, reason }) => (
            <GroupView
              key={vendor_id + code + reason}
              group={{ vendor_id: vendor_id!, code: code!, reason: decodeURIComponent(reason!) }}
            />
          )}
        </Route>
        <Route path="/operator/leads" component={AllLeads} />
        <Route path="/operator/waiting" component={Waiting} />
        <Route path="/operator/agencies" component={Agencies} />
        <Route path="/operator/agencies/:id/*?">
          {({ id: agencyId = "", "*": part }) =>
            settingsOf({
              agencyId,
              orders: <FoundOrders all="All statuses" agencyId={agencyId} />,
              problems: <AgencyProblems agencyId={agencyId} isWhole={!part} />,
            })}
        </Route>
        <Route path="/operator/orders" component={Orders} />
        <Route path="/operator/orders/:id">{({ id }) => <OrderView key={id} id={id!} />}</Route>
        <Route path="/operator/recruits" component={WaitingRecruits} />
        <Route path="/operator/duplicates" component={Duplicates} />
        <Route path="/operator/actions" component={Actions} />
        <Route path="/operator/jobs" component={Jobs} />
        <Route path="/operator/texts" component={Texts} />
        <Route path="/operator/numbers" component={Numbers} />
        <Route path="/operator/outbox" component={UnsentTexts} />
        <Route path="/operator/outbox/failed/:id">{({ id }) => <FailedTexts key={id} agencyId={id!} />}</Route>
        <Route path="/operator/vendors/:tab?">{({ tab }) => <Vendors tab={tab} />}</Route>
        <Route path="/operator/destinations" component={AllDestinations} />
        <Route path="/operator/destinations/:id">{({ id }) => <OneDestination key={id} id={id!} />}</Route>
        <Route path="/operator/mappings/:vendor/:delivery?">
          {({ vendor, delivery }) => (
            <Suspense
              fallback={
                <Page title="Mapping">
                  <Skeleton />
                </Page>
              }
            >
              <MappingView key={vendor} vendor={vendor!} delivery={delivery} />
            </Suspense>
          )}
        </Route>
        <Route>
          <Redirect to="/operator" replace />
        </Route>
      </Switch>
    </Utc>
  );
}

/**
 * The views, listed beside the page; in a window without room for that, those with something to do above it, and the
 * others below a button. On a phone all are below one, which stands in the frame and has the name of the view.
 */
function Views() {
  const { toDo, service } = useTabs();
  const all = [...toDo, ...service];
  const isPhone = useIsPhone();
  const hasList = useIsBroad();
  return (
    <div className="subnav frame-menu">
      {hasList
        ? <Tabs label="Operator" tabs={all} isList />
        : isPhone
        ? <TabMenu label="Operator" tabs={all} className="plain" />
        : (
          <>
            <Tabs label="Operator" tabs={toDo} among={all} />
            <TabMenu label="More of the operator" name="More" tabs={service} among={all} />
          </>
        )}
    </div>
  );
}

/** Each with how much of it waits for an operator. */
function useTabs(): Record<"toDo" | "service", Tab[]> {
  const { data: counts } = useQuery(operatorCounts());
  const tab = (view: string, label: string, icon: Icon, count?: number) => ({
    href: `/operator${view}`,
    label,
    icon,
    count: count ? countText(count) : undefined,
  });
  return {
    toDo: [
      { ...tab("", "Today", ListChecks, useTroubles().toDo), group: "To do" },
      tab("/deliveries", "Rejected deliveries", PackageX, counts?.deliveries),
      tab("/waiting", "Waiting leads", Hourglass, counts?.leads),
      tab("/recruits", "Waiting recruits", MessageCircleWarning, counts?.recruits),
      tab("/texts", "Unmatched texts", MessageCircleQuestion, counts?.texts),
    ],
    service: [
      { ...tab("/search", "Search", Search), group: "Service" },
      tab("/leads", "Leads", UserPlus),
      tab("/agencies", "Agencies", Building),
      tab("/orders", "Orders", ClipboardList),
      { ...tab("/numbers", "Numbers", Phone), also: ["/operator/outbox"] },
      { ...tab("/vendors", "Vendors", Store), also: ["/operator/mappings", "/operator/duplicates"] },
      tab("/destinations", "Destinations", Webhook),
      tab("/actions", "Audit log", ScrollText),
    ],
  };
}
