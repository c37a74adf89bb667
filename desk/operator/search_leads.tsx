import { useQuery } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { type FoundLead, type FoundLeads, latestSearch, useSearchLeads } from "../data/look_up.ts";
import { ActionError } from "../ui/action.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { Place } from "./place.tsx";
import { useVendorName } from "./vendor_name.tsx";

/** One search for leads and deliveries. It still has what it found when the operator comes back from a lead. */
export function SearchLeads() {
  const search = useSearchLeads();
  const { data: latest } = useQuery(latestSearch);

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get("search")).trim();
    if (typed !== "") search.mutate(typed);
  }

  return (
    <Page title="Search">
      <p className="quiet">
        Finds recruiting leads, sales leads and rejected deliveries. Each search is noted with your name.
      </p>
      {/* The browser must not keep what is typed, which may be a person's. */}
      <form className="look-up" role="search" autoComplete="off" onSubmit={submit}>
        <input
          type="search"
          name="search"
          defaultValue={latest?.typed}
          // An operator who comes back reads what was found.
          autoFocus={latest === undefined}
          aria-label="Phone, e-mail, name or id"
          placeholder="Phone, e-mail, name or id"
        />
        <button type="submit" className="primary" aria-disabled={search.isPending}>Search</button>
      </form>
      <ActionError action={search} />
      <div role="status">
        {search.isPending ? <p>Searching</p> : latest !== undefined && <Outcome of={latest} />}
      </div>
      {!search.isPending && latest === undefined && (
        <EmptyState title="For example: 555-0142, maya@example.com, Maya Torres">{RULES}</EmptyState>
      )}
      {!search.isPending && latest !== undefined && latest.found.length > 0 && <Found rows={latest.found} />}
    </Page>
  );
}

const RULES = "Enter at least the last 7 digits of a phone or the first 8 characters of an id, or a full name.";

const KINDS = {
  recruiting: { one: "Recruiting lead", many: "recruiting leads" },
  sales: { one: "Sales lead", many: "sales leads" },
  delivery: { one: "Rejected delivery", many: "rejected deliveries" },
};

function Outcome({ of: { typed, at, found, cut } }: { of: FoundLeads }) {
  const words = <bdi>{typed}</bdi>;
  if (found.length === 0) {
    return (
      <EmptyState title={`Nothing was found for “${typed}”.`}>
        {RULES}
      </EmptyState>
    );
  }
  const isCut = cut.length > 0;
  return (
    <p className={isCut ? "notice" : "quiet"}>
      {found.length} {isCut ? "shown" : "found"} for “{words}”, <Time at={at} />
      {isCut && `, of ${cut.map((kind) => KINDS[kind].many).join(" and ")} only the newest 20. ${narrower(typed)}`}
    </p>
  );
}

function narrower(typed: string): string {
  if (typed.includes(" ")) return "Search for a phone, an e-mail address or an id to find one of them.";
  return "Search for first and last name, a phone, an e-mail address or an id to find fewer.";
}

function Found({ rows }: { rows: FoundLead[] }) {
  const nameOf = useVendorName();
  const name = ({ name, sender_id, id }: FoundLead) => name || sender_id || id.slice(0, 8);
  return (
    <Table
      label="Found"
      query={{ data: rows, error: null, refetch: () => {} }}
      resource="leads"
      empty={null}
      keyOf={({ kind, id }) => kind + id}
      nameOf={name}
      hrefOf={({ kind, id }) => `/operator/${kind === "delivery" ? "deliveries" : "search"}/${id}`}
      columns={[
        { title: "Name or id", cell: (row) => <bdi>{name(row)}</bdi>, isHeader: true },
        { title: "Kind", cell: ({ kind }) => KINDS[kind].one, isPlain: true },
        { title: "From", cell: ({ kind, sender }) => kind === "sales" || sender === null ? sender : nameOf(sender) },
        { title: "Phone", cell: ({ phone }) => phone && phoneText(phone), isPlain: true },
        { title: "E-mail", cell: ({ email }) => <bdi>{email}</bdi>, isMinor: true },
        {
          title: "Outcome",
          cell: ({ kind, state, agency, agent }) =>
            kind === "recruiting" ? <Place agency={agency} agent={agent} distribution={state!} /> : state,
          isSentence: true,
          isPlain: true,
        },
        { title: "Received", cell: ({ received }) => <Time at={received} />, isCorner: true },
      ]}
    />
  );
}
