import { config } from "../data/config.ts";
import type { Lead } from "../data/leads.ts";

/** The windows of another origin by their lead: a window without an opener is not found by its name. */
const foreign = new Map<string, Window>();

/** Opens the presentation of a lead in a window, which it has alone: where it is open, it comes to the front. */
export function openPresentation({ id, agent_id }: Pick<Lead, "id" | "agent_id">): void {
  const known = foreign.get(id);
  if (known !== undefined && !known.closed) return known.focus();
  // Without an address the window is found as it is, with what was typed in it.
  const opened = open("", `presentation-${id}`, "popup,width=520,height=760");
  if (opened === null) {
    throw new Error("The browser has blocked the window. Allow windows of this page, then try again.");
  }
  if (isNew(opened)) {
    const address = new URL(config.presentation_url ?? "presentation.html", location.href);
    address.searchParams.set("lead_id", id);
    address.searchParams.set("agent_id", agent_id);
    if (address.origin !== location.origin) {
      // Else that page could lead the desk, which the agent trusts, to another address.
      opened.opener = null;
      foreign.set(id, opened);
    }
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
