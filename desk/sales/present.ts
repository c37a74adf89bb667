import { config } from "../data/config.ts";
import type { Lead } from "../data/leads.ts";

/** Opens the presentation of a lead in a window, which it has alone: where it is open, it comes to the front. */
export function openPresentation({ id, agent_id }: Pick<Lead, "id" | "agent_id">): void {
  // Without an address the window is found as it is, with what was typed in it.
  const opened = open("", `presentation-${id}`, "popup,width=520,height=760");
  if (opened === null) {
    throw new Error("The browser has blocked the window. Allow windows of this page, then try again.");
  }
  if (isNew(opened)) {
    const address = new URL(config.presentation_url ?? "presentation.html", location.href);
    address.searchParams.set("lead_id", id);
    address.searchParams.set("agent_id", agent_id);
    opened.location.replace(address);
  }
  opened.focus();
}

function isNew(opened: Window): boolean {
  try {
    return opened.location.href === "about:blank";
  } catch {
    // A page of another origin.
    return false;
  }
}
