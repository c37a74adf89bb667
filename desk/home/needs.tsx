import { useQuery } from "@tanstack/react-query";
import BellOff from "lucide-react/icons/bell-off";
import ChartNoAxesColumn from "lucide-react/icons/chart-no-axes-column";
import Check from "lucide-react/icons/check";
import Clock from "lucide-react/icons/clock";
import MessageSquareOff from "lucide-react/icons/message-square-off";
import MessageSquareX from "lucide-react/icons/message-square-x";
import UserRoundX from "lucide-react/icons/user-round-x";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { figureQueries, type Figures } from "../data/figures.ts";
import { inboxQueries } from "../data/inbox.ts";
import { orderQueries } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import { getsAlerts, teamQueries } from "../data/team.ts";
import type { Agent } from "../data/user.ts";
import { countText } from "../ui/count.ts";
import type { Icon } from "../ui/icon_button.tsx";
import { wantedText } from "../ui/order_fill.tsx";
import { paceOf } from "../ui/pace.ts";
import { Skeleton } from "../ui/query_result.tsx";
import { ago } from "../ui/time.tsx";
import { listHref } from "./address.ts";
import { allRecruits } from "./figures.tsx";
import { isFewTexted } from "./funnel.tsx";

/** Something that a manager should do: what is wrong, and what leads to where it is mended. */
interface Need {
  icon: Icon;
  what: ReactNode;
  words: ReactNode;
  act: string;
  href: string;
  /** What the view that opens is told, such as whose conversations it shows. */
  state?: object;
}

/** What is wrong now, whatever the days, and what was in them. The most urgent is first. */
export function Needs({ agent, figures }: { agent: Agent; figures: Figures }) {
  const counts = useQuery(inboxQueries.counts(agent));
  const funnel = useQuery(figureQueries.funnel(agent.agency_id, figures));
  const orders = usePages(orderQueries.list(agent.agency_id, false));
  const standings = useQuery(orderQueries.standings());
  const people = usePages(teamQueries.members(agent.agency_id, false));
  const queries = [counts, funnel, orders, standings, people];
  if (queries.some(({ data, error }) => data === undefined && error === null)) return <Skeleton rows={1} />;

  const { waiting = 0, nobody = 0, failed = 0 } = counts.data ?? {};
  const without = allRecruits(figures) - figures.agents.reduce((sum, { recruits }) => sum + recruits, 0);
  const theirs = figures.agents.filter((one) => one.waiting > 0);
  // The figures are of the last minute, and some may wait for nobody.
  const isTheirs = theirs.length < 3 && theirs.reduce((sum, one) => sum + one.waiting, 0) === waiting;
  const idle = standings.data?.filter(({ standing }) => standing === "no_agent" || standing === "vendor_inactive");
  const stuck =
    orders.data?.filter((order) =>
      order.status === "open" && (paceOf(order).isWrong || idle?.some(({ order_id }) => order_id === order.id))
    ) ?? [];
  const active = people.data?.filter(({ is_active }) => is_active);
  const needs: (Need | false)[] = [
    waiting > 0 && {
      icon: Clock,
      what: some(waiting, "recruit waits", "recruits wait"),
      words: (
        <>
          for {isTheirs ? <bdi>{theirs.map(({ name }) => name).join(" and ")}</bdi> : "an answer"}
          {figures.waiting.since !== null && `, longest ${ago(figures.waiting.since)}`}
        </>
      ),
      act: "Answer",
      href: "/inbox/waiting",
      state: isTheirs && theirs.length === 1 ? { agentId: theirs[0]!.id } : undefined,
    },
    failed > 0 && {
      icon: MessageSquareX,
      what: some(failed, "recruit", "recruits"),
      words: "did not get our latest text, however long ago",
      act: "Open",
      href: "/inbox/failed",
    },
    nobody > 0 && {
      icon: UserRoundX,
      what: some(nobody, "conversation", "conversations"),
      words: nobody === 1 ? "has no agent" : "have no agent",
      act: "Assign",
      href: "/inbox/nobody",
    },
    without > 0 && {
      icon: UserRoundX,
      what: some(without, "recruit", "recruits"),
      words: `of the last ${figures.days} days ${without === 1 ? "has" : "have"} no agent`,
      act: "Assign",
      href: "/recruits?agent=none",
    },
    ...(funnel.data ?? []).filter((row) => isFewTexted(row, figures)).map(({ vendor_id, vendor, leads, texted }) => ({
      icon: MessageSquareOff,
      what: `${texted === 0 ? "None" : `Only ${countText(texted)}`} of ${countText(leads)} recruits`,
      words: (
        <>
          of <bdi>{vendor}</bdi> {texted < 2 ? "was" : "were"} texted
        </>
      ),
      act: "See who",
      href: listHref("not_texted", figures.days, { vendor_id }),
    })),
    stuck.length > 0 && {
      icon: ChartNoAxesColumn,
      what: stuck.length === 1 ? <bdi>Order “{wantedText(stuck[0]!)}”:</bdi> : `${countText(stuck.length)} orders`,
      words: stuck.length > 1
        ? "get no recruits, or will not be full in time"
        : paceOf(stuck[0]!).isWrong
        ? paceOf(stuck[0]!).words
        : "gets no recruits",
      act: "Change",
      href: "/settings/orders",
    },
    active?.some(getsAlerts) === false && !people.hasNextPage && {
      icon: BellOff,
      what: "Nobody",
      words: "gets an alert while the desk is closed",
      act: "Turn on",
      href: "/settings/notifications",
    },
  ];
  const found = needs.filter((need) => need !== false);
  if (found.length === 0) {
    return queries.every(({ error }) => error === null) && (
      <p className="quiet line">
        <Check size={16} /> Nothing needs you
      </p>
    );
  }
  return (
    <section aria-labelledby="needs" className="panel needs">
      <h2 id="needs">Needs you</h2>
      <ul className="rows">
        {found.map(({ icon: Icon, what, words, act, href, state }) => (
          <li key={href}>
            <Icon size={16} />
            <span>
              <strong>{what}</strong> {words}
            </span>
            <Link href={href} state={state} className="button">{act}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function some(count: number, one: string, several: string): string {
  return `${countText(count)} ${count === 1 ? one : several}`;
}
