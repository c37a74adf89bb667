import { useQuery } from "@tanstack/react-query";
import { Link, Redirect, useRoute } from "wouter";
import { figureQueries, type Figures } from "../data/figures.ts";
import { inboxQueries } from "../data/inbox.ts";
import type { Agent } from "../data/user.ts";
import { cappedText, countText } from "../ui/count.ts";
import { DateRange, useDays } from "../ui/date_range.tsx";
import { Page } from "../ui/page.tsx";
import { QueryResult } from "../ui/query_result.tsx";
import { ago } from "../ui/time.tsx";
import { listOf } from "./address.ts";
import { Agents } from "./agents.tsx";
import { FigureList } from "./figure_list.tsx";
import { FigureRow, RecruitChart } from "./figures.tsx";
import { Funnel } from "./funnel.tsx";
import { Orders } from "./orders.tsx";

/** What a manager sees first: how were the last days, and do the orders fill? Or the list that a figure counts. */
export function Home({ agent }: { agent: Agent }) {
  const [, parameters] = useRoute("/home/:first?/:second?/:third?");
  if (parameters?.first) {
    const listed = listOf(parameters.first, parameters.second, parameters.third);
    return listed === null
      ? <Redirect to="/home" replace />
      : <FigureList key={JSON.stringify(listed)} listed={listed} agent={agent} />;
  }
  return <Overview agent={agent} />;
}

function Overview({ agent }: { agent: Agent }) {
  const [days] = useDays();
  const query = useQuery(figureQueries.figures(days));
  return (
    <Page title="Home" isTitleHidden className="home">
      <div className="home-head">
        {query.data && <Waiting agent={agent} since={query.data.waiting.since} />}
        <DateRange />
      </div>
      <QueryResult query={query} resource="figures">
        {(figures) => (
          <>
            <FigureRow figures={figures} />
            <RecruitChart figures={figures} />
            <Agents figures={figures} />
            <Funnel agent={agent} figures={figures} />
            <Orders agent={agent} />
          </>
        )}
      </QueryResult>
    </Page>
  );
}

/** How many recruits wait now, whatever the days, which is the number at Inbox, and how many nobody has. */
function Waiting({ agent, since }: { agent: Agent } & Pick<Figures["waiting"], "since">) {
  const { data: { waiting: recruits, nobody } = { waiting: null, nobody: 0 } } = useQuery(inboxQueries.counts(agent));
  if (recruits === null) return null;
  return (
    <p className={recruits === 0 ? undefined : "is-due"}>
      {recruits === 0 ? <span className="quiet">Nobody waits for an answer.</span> : (
        <Link href="/inbox/waiting">
          <strong>{recruits === 1 ? "1 recruit waits" : `${countText(recruits)} recruits wait`}</strong>{" "}
          for an answer to {recruits === 1 ? "a text" : "their texts"}
        </Link>
      )}
      {recruits > 0 && since !== null && <span className="quiet">longest: {ago(since)}</span>}
      {nobody > 0 && (
        <Link href="/inbox/nobody">
          {cappedText(nobody)} {nobody === 1 ? "conversation has" : "conversations have"} no agent
        </Link>
      )}
    </p>
  );
}
