import { useQuery } from "@tanstack/react-query";
import { Redirect, useRoute } from "wouter";
import { figureQueries } from "../data/figures.ts";
import type { Agent } from "../data/user.ts";
import { useDays } from "../ui/date_range.tsx";
import { Page } from "../ui/page.tsx";
import { QueryResult } from "../ui/query_result.tsx";
import { listOf } from "./address.ts";
import { Agents } from "./agents.tsx";
import { FigureList } from "./figure_list.tsx";
import { FigureRow, RecruitChart } from "./figures.tsx";
import { Funnel } from "./funnel.tsx";
import { Needs } from "./needs.tsx";
import { Orders } from "./orders.tsx";

/** What a manager sees first: what is to do, how were the last days, and do the orders fill? Or the list that a figure counts. */
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
      <QueryResult query={query} resource="figures">
        {(figures) => (
          <>
            <Needs agent={agent} figures={figures} />
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
