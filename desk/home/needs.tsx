import { useQuery } from "@tanstack/react-query";
import BellOff from "lucide-react/icons/bell-off";
import ChartNoAxesColumn from "lucide-react/icons/chart-no-axes-column";
import Check from "lucide-react/icons/check";
import Clock from "lucide-react/icons/clock";
import MessageSquareOff from "lucide-react/icons/message-square-off";
import MessageSquareDashed from "lucide-react/icons/message-square-dashed";
import MessageSquareX from "lucide-react/icons/message-square-x";
import UserRoundX from "lucide-react/icons/user-round-x";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { figureQueries, type Figures } from "../data/figures.ts";
import { type Filter, inboxQueries } from "../data/inbox.ts";
import { orderQueries } from "../data/orders.ts";
import { usePages } from "../data/pages.ts";
import { getsAlerts, teamQueries } from "../data/team.ts";
import type { Agent } from "../data/user.ts";
import { Badge } from "../ui/badge.tsx";
import { countOf, countText } from "../ui/count.ts";
import type { Icon } from "../ui/icon_button.tsx";
import { latenessOf } from "../ui/lateness.ts";
import { wantedText } from "../ui/order_fill.tsx";
import { paceOf } from "../ui/pace.ts";
import { phoneText } from "../ui/phone.ts";
import { Skeleton } from "../ui/query_result.tsx";
import { ago, Time } from "../ui/time.tsx";
import { listHref } from "./address.ts";
import { ofNobody } from "./agents.tsx";
import { isFewTexted } from "./funnel.tsx";

/** Something that a manager should do: what is wrong, and what leads to where it is mended. */
interface Need {
  icon: Icon;
  words: ReactNode;
  act: string;
  href: string;
  /** The state with which the view opens, such as whose conversations it shows. */
  state?: object;
}

/** What the inbox opens with. */
const UNDELIVERED: Filter = { view: "failed", isUnread: false, typed: "", agentId: null };

/** What is wrong now, whatever the days, and what was in them. The most urgent is first. */
export function Needs({ agent, figures }: { agent: Agent; figures: Figures }) {
  const counts = useQuery(inboxQueries.counts(agent));
  const funnel = useQuery(figureQueries.funnel(agent.agency_id, figures));
  const orders = usePages(orderQueries.list(agent.agency_id, false));
  const standings = useQuery(orderQueries.standings());
  const people = usePages(teamQueries.members(agent.agency_id, false));
  const failing = usePages(inboxQueries.list(agent, UNDELIVERED));
  const queries = [counts, funnel, orders, standings, people, failing];
  if (queries.some(({ data, error }) => data === undefined && error === null)) return <Skeleton rows={1} />;

  const { waiting = 0, nobody = 0, failed = 0 } = counts.data ?? {};
  const { since } = figures.waiting;
  const { recruits: without } = ofNobody(figures);
  const theirs = figures.agents.filter((one) => one.waiting > 0);
  // The figures are of the last minute, and some may wait for nobody.
  const isTheirs = theirs.length < 3 && theirs.reduce((sum, one) => sum + one.waiting, 0) === waiting;
  const idle = standings.data?.filter(({ standing }) => standing === "no_agent" || standing === "vendor_inactive");
  const stuck =
    orders.data?.filter((order) =>
      order.status === "open" && (paceOf(order).isWrong || idle?.some(({ order_id }) => order_id === order.id))
    ) ?? [];
  const active = people.data?.filter(({ is_active }) => is_active);
  const undelivered = failing.data?.[0];
  const fewTexted = (funnel.data ?? []).filter((row) => isFewTexted(row, figures)).map((row) => {
    const { vendor_id, vendor, leads, texted } = row;
    const isUngreeted = !orders.hasNextPage &&
      orders.data?.some((order) => order.has_greeting && (order.vendor ?? vendor) === vendor) === false;
    return {
      isUngreeted,
      icon: MessageSquareOff,
      words: (
        <>
          {texted === 0 ? "None" : `Only ${countText(texted)}`} of {countText(leads)} recruits of <bdi>{vendor}</bdi>
          {texted < 2 ? " was" : " were"} texted{isUngreeted && ": no order greets them"}
        </>
      ),
      ...isUngreeted
        ? { act: "Set up", href: "/settings/orders" }
        : { act: "See who", href: listHref("not_texted", figures.days, { vendor_id }) },
    };
  });
  const needs: (Need | false)[] = [
    waiting > 0 && {
      icon: Clock,
      words: (
        <>
          <strong>{countOf(waiting, "recruit waits", "recruits wait")}</strong> for{" "}
          {isTheirs ? <bdi>{theirs.map(({ name }) => name).join(" and ")}</bdi> : "an answer"}{" "}
          {since !== null && <Badge meaning={latenessOf(since)}>longest {ago(since)}</Badge>}
        </>
      ),
      act: theirs.every(({ id }) => id === agent.id) ? "Answer" : "Open",
      href: "/inbox/waiting",
      state: isTheirs && theirs.length === 1 ? { agentId: theirs[0]!.id } : undefined,
    },
    // As the figures below: one of before their days is history.
    failed > 0 && (undelivered === undefined || undelivered.last_text_at >= figures.first_day) && {
      icon: MessageSquareX,
      words: failed > 1 || undelivered === undefined ? `${countOf(failed, "text was", "texts were")} not delivered` : (
        <>
          1 text was not delivered to <bdi>{undelivered.name ?? phoneText(undelivered.recruit_phone)}</bdi>, last text
          {" "}
          <Time at={undelivered.last_text_at} isShort />
        </>
      ),
      act: "Open",
      href: "/inbox/failed",
    },
    nobody > 0 && {
      icon: MessageSquareDashed,
      words: `${countOf(nobody, "conversation is", "conversations are")} assigned to nobody`,
      act: "Assign",
      href: "/inbox/nobody",
    },
    without > 0 && {
      icon: UserRoundX,
      words: `${countOf(without, "recruit", "recruits")} of the last ${figures.days} days ${
        without === 1 ? "has" : "have"
      } no agent`,
      act: "Assign",
      href: "/recruits?agent=none",
    },
    ...fewTexted,
    stuck.length > 0 && {
      icon: ChartNoAxesColumn,
      words: stuck.length > 1 ? `${countText(stuck.length)} orders get no recruits, or will not be full in time` : (
        <>
          <bdi>Order “{wantedText(stuck[0]!)}”:</bdi>{" "}
          {paceOf(stuck[0]!).isWrong ? paceOf(stuck[0]!).words : "gets no recruits"}
        </>
      ),
      act: "Change",
      href: "/settings/orders",
    },
    active?.some(getsAlerts) === false && !people.hasNextPage && {
      icon: BellOff,
      words: "Nobody gets an alert while the desk is closed",
      act: "Turn on",
      href: "/settings/notifications",
    },
  ];
  if (!needs.some(Boolean)) {
    return queries.every(({ error }) => error === null) && (
      <p className="quiet line">
        <Check size={16} /> Nothing needs you
      </p>
    );
  }
  return (
    <section aria-labelledby="needs" className="needs panel">
      <h2 id="needs">Needs you now</h2>
      <ul className="rows">
        {needs.filter((need) => need !== false).map(({ icon: Icon, words, act, href, state }, place) => (
          <li key={place}>
            <Icon size={16} className={Icon === Clock ? "is-live" : undefined} />
            <span>{words}</span>
            <Link href={href} state={state} className={place === 0 ? "button primary" : "button"}>{act}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
