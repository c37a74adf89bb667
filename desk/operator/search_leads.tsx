import type { SubmitEvent } from "react";
import { Link } from "wouter";
import { type FoundLead, useSearchLeads } from "../data/look_up.ts";
import { ActionError } from "../ui/action.tsx";
import { DotSeparated } from "../ui/dot_separated.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";

/** One search for leads and deliveries. */
export function SearchLeads() {
  const search = useSearchLeads();

  function submit(event: SubmitEvent<HTMLFormElement>): void {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get("search")).trim();
    if (typed !== "") search.mutate(typed);
  }

  return (
    <Page title="Search">
      <form className="filters" role="search" onSubmit={submit}>
        <input
          type="search"
          name="search"
          aria-label="Phone, e-mail, name or id"
          placeholder="Phone, e-mail, name, or the id of a lead, a vendor or a request"
        />
        <button type="submit" className="primary" aria-disabled={search.isPending}>Search</button>
      </form>
      <p className="quiet">Each search is noted with your name.</p>
      <ActionError action={search} />
      <div role="status">
        {search.isPending && <p>Searching</p>}
        {search.data?.length === 0 && (
          <EmptyState title={`Nothing is found for “${search.variables}”.`}>
            A phone needs its last digits, and an id its first 8 characters.
          </EmptyState>
        )}
      </div>
      <ul className="rows">
        {search.data?.map((found) => (
          <li key={found.kind + found.id}>
            <FoundRow found={found} />
          </li>
        ))}
      </ul>
    </Page>
  );
}

const KINDS = { recruiting: "Recruiting lead", sales: "Sales lead", delivery: "Rejected delivery" };

function FoundRow({ found: { kind, id, sender, sender_id, name, phone, email, state, received } }: {
  found: FoundLead;
}) {
  const title = name || sender_id || id.slice(0, 8);
  return (
    <>
      <p>
        {kind === "delivery"
          ? (
            <strong>
              <bdi>{title}</bdi>
            </strong>
          )
          : (
            <Link href={`/operator/search/${id}`}>
              <bdi>{title}</bdi>
            </Link>
          )} <span className="badge">{KINDS[kind]}</span>
      </p>
      <p className="quiet">
        <DotSeparated>
          {sender}
          {phone !== null && phoneText(phone)}
          {email !== null && <bdi>{email}</bdi>}
          {state}
          <Time at={received} />
        </DotSeparated>
      </p>
    </>
  );
}
