import { Link } from "wouter";
import { useQuery } from "@tanstack/react-query";
import { type Finding, operatorQueries } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState, QueryResult } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { Command } from "./command.tsx";

/** The title of the findings of a kind, and the advice. */
const KINDS: Record<string, { title: string; advice: string }> = {
  order: { title: "Orders", advice: "These open orders can't fill. Change them, or close them." },
  vendor: {
    title: "Vendors",
    advice: "They have sent nothing for longer than usual. Ask them. Make one inactive that has stopped for good.",
  },
  delivery: { title: "Rejected deliveries", advice: "Correct what rejects them, such as the mapping. Then replay." },
  lead: { title: "Waiting leads", advice: "Open an order for them. Where open orders want them, distribute them." },
  text: { title: "Texts", advice: "Texts for nobody need a conversation; there may be an opt-out among them." },
  number: { title: "Our numbers", advice: "No text leaves a paused number. Find the cause, and resume it." },
  worker: {
    title: "Sending texts",
    advice: "Nobody sends the texts that are due. The people who run the service start the worker.",
  },
  key: { title: "Keys of vendors", advice: "Make the vendor a new key before the old one expires." },
};

/** The view that helps, for commands that it stands for. */
const VIEWS: { command: RegExp; to: string; label: string }[] = [
  { command: /^delivery list /, to: "/operator/deliveries", label: "See the rejected deliveries" },
  { command: /^lead (distribute|waiting) /, to: "/operator/waiting", label: "See the waiting leads" },
  { command: /^text unmatched$/, to: "/operator/texts", label: "See the unmatched texts" },
];

/** The findings of now, each with its advice. */
export function Today() {
  const check = useQuery(operatorQueries.check());
  return (
    <Page title="Today">
      <Figures />
      <div className="bar">
        <h2>What needs attention</h2>
        {check.data && (
          <p className="quiet">
            Checked at <Time at={new Date(check.dataUpdatedAt).toISOString()} />
          </p>
        )}
        <button type="button" aria-disabled={check.isFetching} onClick={() => void check.refetch()}>
          {check.isFetching ? "Checking" : "Check again"}
        </button>
      </div>
      <QueryResult query={check} resource="check">
        {({ rows: findings, more }) => (
          <>
            {findings.length === 0
              ? <EmptyState title="Nothing is wrong.">This page checks again in five minutes.</EmptyState>
              : Object.entries(Object.groupBy(findings, ({ kind }) => kind)).map(([kind, ofKind]) => (
                <Findings key={kind} kind={kind} findings={ofKind!} />
              ))}
            {more > 0 && (
              <>
                <p>There are {more} more. This command lists all:</p>
                <Command line="check" />
              </>
            )}
          </>
        )}
      </QueryResult>
    </Page>
  );
}

function Findings({ kind, findings }: { kind: string; findings: Finding[] }) {
  const { title, advice } = KINDS[kind] ?? { title: kind, advice: "The command says more." };
  const views = VIEWS.filter(({ command }) => findings.some((finding) => command.test(finding.command)));
  return (
    <section className="findings">
      <h3>{title}</h3>
      <p>
        {advice} {views.map(({ to, label }) => <Link key={to} href={to}>{label}</Link>)}
      </p>
      <ul className="rows">
        {findings.map((finding) => (
          <li key={finding.name + finding.problem}>
            <p>
              <strong>{nameOf(finding)}</strong>: {finding.problem}.
            </p>
            <Command line={finding.command} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function nameOf({ kind, name }: Finding): string {
  if (kind === "order") return `Order ${name}`;
  if (kind === "key") return `Key ${name}`;
  if (kind === "worker") return "The worker";
  return phoneText(name);
}

/** The numbers of rows that wait for an operator. */
function Figures() {
  const { data: reasons } = useQuery(operatorQueries.reasons());
  const { data: waiting } = useQuery(operatorQueries.waitingCount());
  const { data: texts, hasNextPage } = usePages(operatorQueries.unmatchedTexts());
  return (
    <ul className="figures">
      <Figure
        to="/operator/deliveries"
        label="Rejected deliveries"
        count={reasons?.rows.reduce((count, { deliveries }) => count + deliveries, 0)}
        hasMore={(reasons?.more ?? 0) > 0}
      />
      <Figure to="/operator/waiting" label="Waiting leads" count={waiting} />
      <Figure
        to="/operator/texts"
        label="Unmatched texts"
        count={texts?.length}
        hasMore={hasNextPage}
      />
    </ul>
  );
}

function Figure(
  { to, label, count, hasMore = false }: { to: string; label: string; count: number | undefined; hasMore?: boolean },
) {
  return (
    <li>
      <Link href={to}>
        <strong>{count === undefined ? "–" : `${count.toLocaleString("en-US")}${hasMore ? "+" : ""}`}</strong> {label}
      </Link>
    </li>
  );
}
