import type { Agent } from "../data/user.ts";
import { Page } from "../ui/page.tsx";

export function Sales({ agent }: { agent: Agent }) {
  return <Page title="Sales leads">{agent.id}</Page>;
}
