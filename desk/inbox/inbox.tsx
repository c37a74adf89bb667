import type { Agent, User } from "../data/user.ts";
import { Page } from "../ui/page.tsx";

export function Inbox({ agent }: { user: User; agent: Agent }) {
  return <Page title="Inbox">{agent.id}</Page>;
}
