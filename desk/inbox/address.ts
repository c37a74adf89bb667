import { type View, VIEWS } from "../data/inbox.ts";

/** The address of a part of the inbox, with the conversation that is open beside it. */
export function hrefOf(view: View, id?: string): string {
  return id === undefined ? `/inbox/${view}` : `/inbox/${view}/${id}`;
}

/** The part of the inbox and the open conversation of an address. Elsewhere a conversation has no part. */
export function addressOf(first?: string, second?: string): { view: View; id: string | undefined } {
  const view = VIEWS.find((view) => view === first);
  return view === undefined ? { view: "waiting", id: first } : { view, id: second };
}
