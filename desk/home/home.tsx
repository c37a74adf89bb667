import { Redirect, useRoute } from "wouter";
import type { Agent } from "../data/user.ts";
import { Page } from "../ui/page.tsx";
import { listOf } from "./address.ts";
import { FigureList } from "./figure_list.tsx";
import { Figures } from "./figures.tsx";

/** What a manager sees first: how were the last days, and do the orders fill? Or the list that a figure counts. */
export function Home({ agent }: { agent: Agent }) {
  const [, parameters] = useRoute("/home/:first?/:second?/:third?");
  if (parameters?.first) {
    const listed = listOf(parameters.first, parameters.second, parameters.third);
    return listed === null
      ? <Redirect to="/home" replace />
      : <FigureList key={JSON.stringify(listed)} listed={listed} agent={agent} />;
  }
  return (
    <Page title="Home" isTitleHidden className="home">
      <Figures agent={agent} />
    </Page>
  );
}
