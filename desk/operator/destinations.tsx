import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { type Destination, destinationQueries, retryFailed, setDestinationState } from "../data/destinations.ts";
import { usePages } from "../data/pages.ts";
import { ActionButton } from "../ui/action.tsx";
import { Badge } from "../ui/badge.tsx";
import { CopyButton } from "../ui/copy_button.tsx";
import { countText } from "../ui/count.ts";
import { Destinations } from "../ui/destinations.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState } from "../ui/query_result.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { shellWord } from "./shell_word.ts";

const COLUMNS: TableColumn<Destination>[] = [
  {
    title: "Agency",
    cell: ({ agency_id, agency, name }) => (
      <span className="two-lines is-one">
        <bdi>{agency_id === null ? "Operators’ alerts" : agency}</bdi> <small>{name}</small>
      </span>
    ),
    isHeader: true,
    isSentence: true,
  },
  {
    title: "Target",
    isPlain: true,
    cell: ({ agency_id, url, address }) =>
      agency_id === null ? "Set in the environment" : url?.replace(/^https?:\/\//, "") ?? address,
  },
  { title: "State", isPlain: true, cell: (destination) => <State of={destination} />, isSentence: true },
  {
    title: "Last delivered",
    cell: ({ last_delivered_at: at }) => at === null ? "nothing yet" : <Time at={at} isAge />,
  },
  { title: "Waiting", cell: ({ waiting }) => countText(waiting), isNumber: true },
  { title: "Failed, 24 h", cell: ({ failed_24h }) => countText(failed_24h), isNumber: true },
  {
    title: "Act",
    isTitleHidden: true,
    isPlain: true,
    cell: ({ id, agency_id, name, is_on, failed_24h }) =>
      failed_24h > 0
        ? (
          <ActionButton act={() => retryFailed(id)}>
            Send again <span className="visually-hidden">what failed to {name}</span>
          </ActionButton>
        )
        : agency_id !== null && !is_on && (
          <ActionButton act={() => setDestinationState(id, true)}>
            Resume <span className="visually-hidden">{name}</span>
          </ActionButton>
        ),
  },
];

function State(
  { of: { is_on, agency_id, last_delivered_at, off_reason, failing_since, last_failure } }: { of: Destination },
) {
  if (off_reason !== null) return <Problem word="switched off" why={off_reason} />;
  if (failing_since !== null) return <Problem word="failing" why={last_failure} />;
  if (!is_on) return <Badge meaning="warn">paused</Badge>;
  // Whether the variable is set, only the functions know.
  return agency_id === null && last_delivered_at === null
    ? <Badge>not used yet</Badge>
    : <Badge meaning="good">on</Badge>;
}

function Problem({ word, why }: { word: string; why: string | null }) {
  return (
    <span className="two-lines">
      <Badge meaning="bad">{word}</Badge> <small>{why}</small>
    </span>
  );
}

/** The destinations of all agencies and the operators' own, those that fail first, and the agencies that have none. */
export function AllDestinations() {
  const query = usePages(destinationQueries.list());
  return (
    <Page title="Destinations">
      <Table
        query={query}
        resource="destinations"
        label="Destinations"
        empty={<EmptyState title="No destination yet.">The command “destination create” makes one.</EmptyState>}
        keyOf={({ id }) => id}
        nameOf={({ agency, name }) => `${name} of ${agency}`}
        hrefOf={({ id }) => `/operator/destinations/${id}`}
        columns={COLUMNS}
      />
      <AgenciesWithout />
    </Page>
  );
}

function AgenciesWithout() {
  const query = usePages(destinationQueries.missing());
  const { data: count = 0 } = useQuery(destinationQueries.missingCount());
  if (count === 0) return null;
  return (
    <section aria-labelledby="without">
      <h2 id="without">{count === 1 ? "1 agency has" : `${countText(count)} agencies have`} no destination</h2>
      <Table
        label="Agencies without a destination"
        query={query}
        resource="agencies"
        empty={null}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={({ id }) => `/operator/agencies/${id}/destinations`}
        columns={[
          { title: "Agency", cell: ({ name }) => <bdi>{name}</bdi>, isHeader: true },
          {
            title: "Next step",
            isPlain: true,
            cell: ({ name }) => (
              <span className="buttons">
                <code>destination create</code>
                <CopyButton
                  words={`npm run admin -- destination create NAME --url URL --agency ${shellWord(name)}`}
                  what="the command"
                  of={name}
                />
              </span>
            ),
          },
        ]}
      />
    </section>
  );
}

/** A destination with what can be done with it, and what was sent to it. */
export function OneDestination({ id }: { id: string }) {
  const [destination] = usePages(destinationQueries.list({ id })).data ?? [];
  return (
    <Page
      title={destination === undefined ? "Destination" : `Destination ${destination.name} of ${destination.agency}`}
    >
      <Link href="/operator/destinations" className="back">All destinations</Link>
      <Destinations id={id} />
    </Page>
  );
}
