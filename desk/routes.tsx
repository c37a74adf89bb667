import { useQuery } from "@tanstack/react-query";
import { Activity, type ReactNode, Suspense, useEffect, useState } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { type User, userQueries } from "./data/user.ts";
import { Inbox } from "./inbox/inbox.tsx";
import type { AgencyParts } from "./operator/operator.tsx";
import { Shell } from "./shell.tsx";
import { chunk } from "./ui/chunk.ts";
import { ErrorBoundary } from "./ui/error_boundary.tsx";
import { Page } from "./ui/page.tsx";
import type { Link } from "./session/link.ts";
import { OpenLink, Password } from "./session/password.tsx";
import { useSession } from "./session/session.ts";
import { SignIn } from "./session/sign_in.tsx";
import { SignOut } from "./session/sign_out.tsx";
import { EmptyState, ErrorState, Skeleton } from "./ui/query_result.tsx";

// The inbox is what agents see first.
const Home = chunk(async () => (await import("./home/home.tsx")).Home);
const Recruits = chunk(async () => (await import("./recruits/recruits.tsx")).Recruits);
const Sales = chunk(async () => (await import("./sales/sales.tsx")).Sales);
const Settings = chunk(async () => (await import("./settings/settings.tsx")).Settings);
const OperatorSettings = chunk(async () => (await import("./settings/settings.tsx")).OperatorSettings);
const Operator = chunk(async () => (await import("./operator/operator.tsx")).Operator);

/** The time until the other views of a user are loaded, so that they are there without a connection too. */
const PRELOAD_MS = 2_000;

/** The view for the user at the page. `link` is the content of an e-mail's link. */
export function Routes({ link: given }: { link: Link | null }) {
  const [link, setLink] = useState(given);
  const { user, hasEnded } = useSession();
  const [, navigate] = useLocation();

  function leaveLink(isSignedIn: boolean): void {
    setLink(null);
    navigate(isSignedIn ? "/password" : "/", { replace: true });
  }

  if (link !== null) return <OpenLink link={link} onDone={leaveLink} />;
  if (user === undefined) return null;
  return (
    <>
      {user !== null && (
        <Activity key={user.id} mode={hasEnded ? "hidden" : "visible"}>
          <SignedIn {...user} />
        </Activity>
      )}
      {(user === null || hasEnded) && <SignIn ended={user?.email} />}
    </>
  );
}

function SignedIn({ id, email }: { id: string; email: string }) {
  const { data: user, error, refetch } = useQuery(userQueries.signedIn(id));
  const [path, navigate] = useLocation();
  if (user === undefined && error !== null) {
    return (
      <Page title="The desk cannot be opened" className="narrow">
        <ErrorState error={error} retry={refetch} />
        <SignOut className="link" />
      </Page>
    );
  }
  if (user === undefined) return <p className="state" role="status">Loading</p>;
  return (
    <Shell user={user} email={email}>
      <ErrorBoundary key={path.split("/")[1]}>
        <Switch>
          <Route path="/password">
            <Password email={email} onDone={() => navigate("/")} />
          </Route>
          <Views user={user} />
        </Switch>
      </ErrorBoundary>
    </Shell>
  );
}

/** The views, each for those who may see it. */
function Views({ user }: { user: User }) {
  const { agent, is_operator } = user;
  useEffect(() => {
    const theirs = [
      ...(agent === null ? [] : [Recruits, Sales]),
      ...(agent?.role === "manager" ? [Home, Settings] : []),
      ...(is_operator ? [Operator] : []),
    ];
    const timer = setTimeout(() => theirs.forEach(({ preload }) => preload()), PRELOAD_MS);
    return () => clearTimeout(timer);
  }, [agent?.role, is_operator]);
  if (agent === null && !is_operator) {
    return (
      <Page title="No desk">
        <EmptyState title="This login has no desk.">
          It belongs to no active agent. A manager of your agency can tell you why; the people who run the service can
          change it.
        </EmptyState>
      </Page>
    );
  }
  const isManager = agent?.role === "manager";
  return (
    <Switch>
      <Route path="/home/*?">
        {isManager ? <Loaded title="Home" view={<Home agent={agent} />} /> : <NotAllowed who="an agency's managers" />}
      </Route>
      <Route path="/inbox/*?">{agent === null ? <NotAllowed who="agents" /> : <Inbox agent={agent} />}</Route>
      <Route path="/recruits/*?">
        {agent === null ? <NotAllowed who="agents" /> : <Loaded title="Recruits" view={<Recruits agent={agent} />} />}
      </Route>
      <Route path="/sales/*?">
        {agent === null ? <NotAllowed who="agents" /> : <Loaded title="Sales leads" view={<Sales agent={agent} />} />}
      </Route>
      <Route path="/settings/*?">
        {isManager
          ? <Loaded title="Settings" view={<Settings agent={agent} />} />
          : <NotAllowed who="an agency's managers" />}
      </Route>
      <Route path="/operator/*?">
        {is_operator
          ? <Loaded title="Operator" view={<Operator settingsOf={settingsOf} />} />
          : <NotAllowed who="operators of the service" />}
      </Route>
      <Route>
        <Redirect to={agent === null ? "/operator" : isManager ? "/home" : "/inbox"} replace />
      </Route>
    </Switch>
  );
}

function settingsOf(parts: AgencyParts): ReactNode {
  return <Loaded title="Agency" view={<OperatorSettings key={parts.agencyId} {...parts} />} />;
}

/** A view of a chunk of its own, and what stands in its place until that is loaded. */
function Loaded({ title, view }: { title: string; view: ReactNode }) {
  const skeleton = (
    <Page title={title} isTitleHidden>
      <Skeleton />
    </Page>
  );
  return <Suspense fallback={skeleton}>{view}</Suspense>;
}

function NotAllowed({ who }: { who: string }) {
  return (
    <Page title="Not for this login">
      <EmptyState title={`This part is for ${who}.`}>
        Sign in with another login, or ask the people who run the service.
      </EmptyState>
    </Page>
  );
}
