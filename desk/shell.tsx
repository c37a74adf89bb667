import { useQuery } from "@tanstack/react-query";
import Search from "lucide-react/icons/search";
import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { Link, useLocation, useRoute } from "wouter";
import { inboxQueries } from "./data/inbox.ts";
import { useOutbox } from "./data/outbox.ts";
import { type Agent, isOldBuild, type User } from "./data/user.ts";
import { entriesOf, type Entry } from "./entries.tsx";
import { useLive } from "./live.ts";
import { SignOut } from "./session/sign_out.tsx";
import { Bell } from "./notifications/bell.tsx";
import { Notifications } from "./notifications/notifications.tsx";
import { AskForNotifications } from "./notifications/settings.tsx";
import { Avatar } from "./ui/avatar.tsx";
import { chunk } from "./ui/chunk.ts";
import { cappedText } from "./ui/count.ts";
import { useIsPhone } from "./ui/is_wide.ts";
import { fullName } from "./ui/name.ts";
import { useOnline } from "./ui/online.ts";
import { part } from "./ui/part.tsx";
import { OldBuild } from "./ui/query_result.tsx";
import { viewStands } from "./ui/standing.ts";
import { setWaiting } from "./ui/title.ts";
import { Toasts } from "./ui/toast.tsx";

const AccountSettings = part(
  "How you are notified",
  async () => (await import("./notifications/account_settings.tsx")).AccountSettings,
);
// Where it can't be loaded there is no count. The operator's page says why.
const ToDo = chunk(() => import("./operator/to_do.tsx").then(({ ToDo }) => ToDo, () => () => null));
const DeskPalette = part("The search of all views", async () => (await import("./palette.tsx")).DeskPalette);

/** The frame of each view: where one can go, what is new, who is signed in, and whether the page is up to date. */
export function Shell({ user, email, children }: { user: User; email: string; children: ReactNode }) {
  const { agent, agency } = user;
  const entries = entriesOf(user);
  return (
    <>
      <a className="skip" href="#main" onClick={skip}>Skip to the content</a>
      <header>
        <Brand agency={agency?.name} entries={entries} />
        {entries.length > 0 && (
          <nav aria-label="Main">
            {entries.map((entry) => <RailLink key={entry.to} entry={entry} agent={agent} />)}
          </nav>
        )}
        <div className="rail-end">
          {entries.length > 0 && <OpenPalette user={user} entries={entries} />}
          {agent !== null && <Bell agent={agent} />}
          <Account email={email} user={user} />
        </div>
      </header>
      <Toasts>
        <PageNotices user={user} />
      </Toasts>
      {agent !== null && <LiveUpdates agent={agent} />}
      {agent !== null && <Notifications agent={agent} userId={user.user_id} />}
      {children}
    </>
  );
}

/** The name of the agency; on a phone, where nothing else says it, that of the view. */
function Brand({ agency = "Desk", entries }: { agency?: string; entries: Entry[] }) {
  const [path] = useLocation();
  const here = entries.find(({ to }) => path.startsWith(to));
  return <p className="brand" title={agency}>{useIsPhone() && here?.label || agency}</p>;
}

function RailLink({ entry: { to, label, icon: Icon }, agent }: { entry: Entry; agent: Agent | null }) {
  const [isHere] = useRoute(`${to}/*?`);
  return (
    <Link href={to} aria-current={isHere ? "page" : undefined}>
      <Icon size={20} />
      <span>{label}</span>
      {to === "/inbox" && agent !== null && <WaitingBadge agent={agent} />}
      {to === "/operator" && <ToDoBadge />}
    </Link>
  );
}

/** A button that opens the palette, as Ctrl K and ⌘ K do everywhere. */
function OpenPalette({ user, entries }: { user: User; entries: Entry[] }) {
  const [isOpen, setOpen] = useState(false);
  // Who types at once after the keys loses no letter.
  useEffect(() => void viewStands().then(DeskPalette.preload), []);
  useEffect(() => {
    function press(event: KeyboardEvent): void {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      // Not above a question.
      if (document.querySelector("dialog[open]") === null) setOpen(true);
    }
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <button
        type="button"
        className="plain"
        title="Find (Ctrl K)"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Search size={20} />
        <span>Find</span>
      </button>
      {isOpen && (
        <Suspense>
          <DeskPalette user={user} entries={entries} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** The menu of the user who is signed in. Escape and a click elsewhere close it, because it is a popover. */
function Account({ email, user }: { email: string; user: User }) {
  const { agent, agency } = user;
  const menu = useRef<HTMLDivElement>(null);
  const [path] = useLocation();
  const [wasOpened, setOpened] = useState(false);
  // Back, or a notification, has opened another view below the menu.
  useEffect(() => menu.current!.hidePopover(), [path]);
  const name = agent === null ? email : fullName(agent);
  return (
    <div className="account">
      <button type="button" className="plain" popoverTarget="account" title={name}>
        <Avatar id={agent?.id ?? user.user_id} name={name} />
      </button>
      <div id="account" popover="auto" ref={menu} onToggle={() => setOpened(true)}>
        <p>
          {agent !== null && (
            <strong>
              <bdi>{name}</bdi>
            </strong>
          )} {email}
          {agency !== null && <span className="quiet">{agency.name}</span>}
        </p>
        <Link href="/password" onClick={() => menu.current!.hidePopover()}>Change the password</Link>
        {agent !== null && wasOpened && (
          <Suspense>
            <AccountSettings userId={user.user_id} agentId={agent.id} />
          </Suspense>
        )}
        <SignOut />
      </div>
    </div>
  );
}

/** The number of recruits who wait, as the inbox has it. */
function WaitingBadge({ agent }: { agent: Agent }) {
  const { data: { waiting } = { waiting: 0 } } = useQuery(inboxQueries.counts(agent));
  useEffect(() => {
    setWaiting(waiting);
    return () => setWaiting(0);
  }, [waiting]);
  return <RailBadge count={waiting} noun="waiting" />;
}

/** The number of problems that no operator has in hand. */
function ToDoBadge() {
  return (
    <Suspense>
      <ToDo>{(count) => <RailBadge count={count} noun="to do" />}</ToDo>
    </Suspense>
  );
}

function RailBadge({ count, noun }: { count: number; noun: string }) {
  if (count === 0) return null;
  return (
    <span className="badge strong">
      {cappedText(count)}
      <span className="visually-hidden">{noun}</span>
    </span>
  );
}

/** What concerns the whole page, and stays with the toasts as long as it is so. */
function PageNotices({ user }: { user: User }) {
  const isOnline = useOnline();
  const { texts } = useOutbox();
  const asked = texts.find(({ question }) => question !== null);
  return (
    <>
      {!isOnline && (
        <p className="toast is-warn">You are offline. What you see may be out of date; what you write is kept.</p>
      )}
      {isOldBuild(user) && (
        <div className="toast is-warn">
          <OldBuild>This page is older than the service.</OldBuild>
        </div>
      )}
      {user.agent !== null && asked && (
        <p className="toast is-warn">
          <span>A text is not sent yet, and waits for your answer.</span>
          <Link className="button" href={`/inbox/${asked.conversation_id}`}>See the text</Link>
        </p>
      )}
      {user.agent !== null && <AskForNotifications userId={user.user_id} />}
    </>
  );
}

function LiveUpdates({ agent }: { agent: Agent }) {
  useLive(agent);
  return null;
}

/** The address's hash is the route, so the link's own would leave the view. */
function skip(event: React.MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>("#main h1")?.focus();
}
