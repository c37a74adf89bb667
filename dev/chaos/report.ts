import { formatTable } from "../../admin/table.ts";
import type { Sent } from "./driver.ts";

/** The kinds of findings, none of which may be. */
const KINDS = ["lost", "doubled", "orphaned", "wrongly charged", "wrong response"] as const;

/** Something that the account finds wrong. */
export interface Finding {
  kind: typeof KINDS[number];
  what: string;
  /** The request it is about, where it is about one. */
  sent?: Sent;
}

/** The result of a run. */
export interface Report {
  /** The faults in the order in which they came. */
  faults: string[];
  sent: Sent[];
  findings: Finding[];
}

/** A table with a line for each fault, and one for the time without any. */
export function reportTable({ faults, sent, findings }: Report): string {
  const lines = [
    ...faults.map((name, fault) => ({ name, fault })),
    { name: "no fault", fault: null },
  ].map(({ name, fault }) =>
    line(
      name,
      sent.filter((one) => one.fault === fault),
      findings.filter((finding) => finding.sent && finding.sent.fault === fault),
    )
  );
  return formatTable([...lines, line("in all", sent, findings)]);
}

function line(name: string, sent: Sent[], findings: Finding[]) {
  return {
    fault: name,
    requests: String(sent.length),
    responses: countedStatuses(sent.map(({ statuses }) => statuses[0]!)),
    "worst s": Math.max(0, ...sent.map(({ seconds }) => seconds)).toFixed(1),
    unknown: String(sent.filter(({ outcome }) => outcome === "unknown").length),
    "sent again": String(sent.filter(({ statuses }) => statuses.length > 1).length),
    ...Object.fromEntries(
      KINDS.map((kind) => [kind, String(findings.filter((finding) => finding.kind === kind).length)]),
    ),
  };
}

/** Such as `200: 12, 500: 3, none: 1`. */
function countedStatuses(statuses: (number | null)[]): string {
  const counts = new Map<string, number>();
  for (const status of statuses) {
    const name = String(status ?? "none");
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([status, count]) => `${status}: ${count}`).join(", ");
}
