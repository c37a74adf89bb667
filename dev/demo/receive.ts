import type { Delivery, Verdict } from "../testing/receiver/receiver.ts";
import { AGENCIES } from "./cast.ts";

/** The path at which the system of an agency takes its events. */
export function pathOf(agencyId: string): string {
  return `/${agencyId.slice(0, 8)}`;
}

/** What the systems of agencies do: they know one in sixteen of the people already, and refuse the lead. */
export function receive({ path, body }: Delivery): { agency: string; event: string; verdict: Verdict } {
  const { type, data } = JSON.parse(body);
  const isKnown = type === "lead.distributed" && /[37]7/.test(data.lead.phone.slice(-3));
  return {
    agency: AGENCIES.find(({ id }) => pathOf(id) === path)?.name ?? path,
    event: type,
    verdict: isKnown ? { status: 422, body: "We know this person already." } : { status: 204 },
  };
}
