import { type ReactNode, Suspense } from "react";
import { Link, Redirect, Route, Switch, useRoute } from "wouter";
import { chunk } from "../ui/chunk.ts";
import { Destinations } from "../ui/destinations.tsx";
import { Page } from "../ui/page.tsx";
import { Skeleton } from "../ui/query_result.tsx";
import { Utc } from "../ui/time.tsx";
import { Agencies } from "./agencies.tsx";
import { Deliveries } from "./deliveries.tsx";
import { GroupView } from "./group.tsx";
import { Duplicates } from "./duplicates.tsx";
import { FoundDelivery } from "./found_delivery.tsx";
import { Jobs } from "./jobs.tsx";
import { LeadView } from "./lead_view.tsx";
import { AllLeads } from "./newest_leads.tsx";
import { Numbers } from "./numbers.tsx";
import { Orders } from "./orders.tsx";
import { SearchLeads } from "./search_leads.tsx";
import { Texts } from "./texts.tsx";
import { Today } from "./today.tsx";
import { FailedTexts, UnsentTexts } from "./unsent_texts.tsx";
import { Vendors } from "./vendors.tsx";
import { Waiting } from "./waiting.tsx";
import { WaitingRecruits } from "./waiting_recruits.tsx";

const MappingView = chunk(async () => (await import("./mapping.tsx")).MappingView);

/** The pages of operators of the whole service. `settingsOf` shows the settings of an agency. */
export function Operator({ settingsOf }: { settingsOf: (agencyId: string) => ReactNode }) {
  return (
    // The commands and the words of the database are in UTC too.
    <Utc value>
      <nav className="tabs subnav" aria-label="Operator">
        <SubLink to="/operator">Today</SubLink>
        <SubLink to="/operator/search" pattern="/operator/search/*?">Search</SubLink>
        <SubLink to="/operator/deliveries" pattern="/operator/deliveries/*?">Rejected deliveries</SubLink>
        <SubLink to="/operator/waiting">Waiting leads</SubLink>
        <SubLink to="/operator/agencies" pattern="/operator/agencies/*?">Agencies</SubLink>
        <SubLink to="/operator/orders" pattern="/operator/orders/*?">Orders</SubLink>
        <SubLink to="/operator/texts">Unmatched texts</SubLink>
        <SubLink to="/operator/numbers">Numbers</SubLink>
        <SubLink to="/operator/vendors">Vendors</SubLink>
        <SubLink to="/operator/destinations">Destinations</SubLink>
      </nav>
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
        <Route path="/operator/agencies/:id/*?">{({ id }) => settingsOf(id!)}</Route>
        <Route path="/operator/orders">
          <Orders />
        </Route>
        <Route path="/operator/orders/agency/:id">{({ id }) => <Orders key={id} agencyId={id!} />}</Route>
        <Route path="/operator/orders/:id">{({ id }) => <Orders key={id} orderId={id!} />}</Route>
        <Route path="/operator/recruits" component={WaitingRecruits} />
        <Route path="/operator/duplicates" component={Duplicates} />
        <Route path="/operator/jobs" component={Jobs} />
        <Route path="/operator/texts" component={Texts} />
        <Route path="/operator/numbers" component={Numbers} />
        <Route path="/operator/outbox" component={UnsentTexts} />
        <Route path="/operator/outbox/failed/:id">{({ id }) => <FailedTexts key={id} agencyId={id!} />}</Route>
        <Route path="/operator/vendors" component={Vendors} />
        <Route path="/operator/destinations">
          <Page title="Destinations">
            <Destinations />
          </Page>
        </Route>
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

function SubLink({ to, pattern = to, children }: { to: string; pattern?: string; children: ReactNode }) {
  const [isHere] = useRoute(pattern);
  return <Link href={to} aria-current={isHere ? "page" : undefined}>{children}</Link>;
}
