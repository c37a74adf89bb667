import type { Agent } from "../data/user.ts";
import { Page } from "../ui/page.tsx";

export function Recruits({ agent }: { agent: Agent }) {
  return <Page title="Recruits">{agent.id}</Page>;
}
