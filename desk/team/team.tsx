import type { Agent, User } from "../data/user.ts";
import { Page } from "../ui/page.tsx";

export function Team({ agent }: { user: User; agent: Agent }) {
  return <Page title="Team">{agent.id}</Page>;
}
