import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { Redirect, Route, Switch } from "wouter";
import { operatorCounts } from "../data/operator_counts.ts";
import { chunk } from "../ui/chunk.ts";
import { countText } from "../ui/count.ts";
import { useHasViewList, useIsPhone } from "../ui/is_wide.ts";
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
import { AgencyOrders, Orders } from "./orders.tsx";
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
          {({ id: agencyId = "" }) =>
            settingsOf({
              agencyId,
              orders: <AgencyOrders agencyId={agencyId} />,
              problems: <AgencyProblems agencyId={agencyId} />,
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
  const hasList = useHasViewList();
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
  const tab = (view: string, label: string, count?: number) => ({
    href: `/operator${view}`,
    label,
    count: count ? countText(count) : undefined,
  });
  return {
    toDo: [
      { ...tab("", "Today", useTroubles().toDo), group: "To do" },
      tab("/deliveries", "Rejected deliveries", counts?.deliveries),
      tab("/waiting", "Waiting leads", counts?.leads),
      tab("/recruits", "Waiting recruits", counts?.recruits),
      tab("/texts", "Unmatched texts", counts?.texts),
    ],
    service: [
      { ...tab("/search", "Search"), group: "Service" },
      tab("/leads", "Leads"),
      tab("/agencies", "Agencies"),
      tab("/orders", "Orders"),
      { ...tab("/numbers", "Numbers"), also: ["/operator/outbox"] },
      { ...tab("/vendors", "Vendors"), also: ["/operator/mappings", "/operator/duplicates"] },
      tab("/destinations", "Destinations"),
      tab("/actions", "What we did"),
    ],
  };
}
