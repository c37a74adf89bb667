import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { Link, useLocation, useRoute } from "wouter";
import { inboxQueries } from "./data/inbox.ts";
import { type Agent, isOldBuild, type User } from "./data/user.ts";
import { useLive } from "./live.ts";
import { SignOut } from "./session/sign_out.tsx";
import { Notifications } from "./notifications/notifications.tsx";
import { AskForNotifications, NotificationSettings } from "./notifications/settings.tsx";
import { AgentNotices } from "./agent_notices.tsx";
import { cappedText } from "./ui/count.ts";
import { useOnline } from "./ui/online.ts";
import { part } from "./ui/part.tsx";
import { OldBuild } from "./ui/query_result.tsx";
import { setUnread } from "./ui/title.ts";

const MailSettings = part(
  "What you are mailed",
  async () => (await import("./notifications/mail_settings.tsx")).MailSettings,
);

/** The frame of each view: where one can go, who is signed in, and whether the page is up to date. */
export function Shell({ user, email, children }: { user: User; email: string; children: ReactNode }) {
  const { agent, agency, is_operator } = user;
  return (
    <>
      <a className="skip" href="#main" onClick={skip}>Skip to the content</a>
      <header>
        <p className="brand">{agency?.name ?? "Desk"}</p>
        {(agent !== null || is_operator) && (
          <nav aria-label="Main">
            {agent?.role === "manager" && <NavLink to="/home">Home</NavLink>}
            {agent !== null && (
              <>
                <NavLink to="/inbox">
                  Inbox<UnreadBadge agent={agent} />
                </NavLink>
                <NavLink to="/recruits">Recruits</NavLink>
                <NavLink to="/sales">Sales leads</NavLink>
              </>
            )}
            {agent?.role === "manager" && <NavLink to="/team">Team</NavLink>}
            {is_operator && <NavLink to="/operator">Operator</NavLink>}
          </nav>
        )}
        <Account name={agent?.first_name ?? email} email={email} user={user} />
      </header>
      <PageNotices user={user} />
      {agent !== null && <Notifications agent={agent} userId={user.user_id} />}
      {children}
    </>
  );
}

function NavLink({ to, children }: { to: string; children: ReactNode }) {
  const [isHere] = useRoute(`${to}/*?`);
  return <Link href={to} aria-current={isHere ? "page" : undefined}>{children}</Link>;
}

/** The menu of the user who is signed in. Escape and a click elsewhere close it, because it is a popover. */
function Account({ name, email, user }: { name: string; email: string; user: User }) {
  const menu = useRef<HTMLDivElement>(null);
  const [path] = useLocation();
  const [wasOpened, setOpened] = useState(false);
  // Back, or a notification, has opened another view below the menu.
  useEffect(() => menu.current!.hidePopover(), [path]);
  return (
    <div className="account">
      <button type="button" className="plain" popoverTarget="account">
        <span>{name}</span>
      </button>
      <div id="account" popover="auto" ref={menu} onToggle={() => setOpened(true)}>
        <p>{email}</p>
        <Link href="/password" onClick={() => menu.current!.hidePopover()}>Change the password</Link>
        {user.agent !== null && <NotificationSettings userId={user.user_id} />}
        {user.agent !== null && wasOpened && (
          <Suspense>
            <MailSettings agentId={user.agent.id} />
          </Suspense>
        )}
        <SignOut />
      </div>
    </div>
  );
}

/** The number of unread conversations. */
function UnreadBadge({ agent }: { agent: Agent }) {
  const { data: count = 0 } = useQuery(inboxQueries.unreadCount(agent));
  useEffect(() => {
    setUnread(count);
    return () => setUnread(0);
  }, [count]);
  if (count === 0) return null;
  return (
    <span className="badge strong">
      {cappedText(count)}
      <span className="visually-hidden">unread</span>
    </span>
  );
}

/** The notices that concern the whole page. */
function PageNotices({ user }: { user: User }) {
  const isOnline = useOnline();
  return (
    <div className="notices" role="status">
      {!isOnline && <p>You are offline. What you see may be out of date; what you write is kept.</p>}
      {isOldBuild(user) && <OldBuild>This page is older than the service.</OldBuild>}
      {user.agent !== null && <LiveUpdates agent={user.agent} />}
      {user.agent !== null && <AgentNotices agent={user.agent} />}
      {user.agent !== null && <AskForNotifications userId={user.user_id} />}
    </div>
  );
}

function LiveUpdates({ agent }: { agent: NonNullable<User["agent"]> }) {
  useLive(agent);
  return null;
}

/** The address's hash is the route, so the link's own would leave the view. */
function skip(event: React.MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main h1")?.focus();
}
