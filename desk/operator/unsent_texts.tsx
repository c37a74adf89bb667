import { Link } from "wouter";
import { explainWhy } from "../../supabase/functions/_shared/twilio_errors.ts";
import { operatorQueries, type UnsentText } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { ago, Time } from "../ui/time.tsx";

const COLUMNS: TableColumn<UnsentText>[] = [
  { title: "To", cell: ({ to }) => phoneText(to), isHeader: true },
  { title: "From", cell: ({ from }) => phoneText(from), isMinor: true },
  { title: "Agency", cell: ({ agency }) => agency },
  { title: "Author", cell: ({ kind }) => kind, isMinor: true },
  { title: "State", cell: ({ state }) => state },
  { title: "Why", cell: ({ why, reason }) => explainWhy({ why, reason }), isSentence: true },
  { title: "Written", cell: ({ created_at }) => <Time at={created_at} /> },
];
const TABLE = {
  label: "Texts",
  keyOf: ({ message_id }: UnsentText) => message_id,
  nameOf: ({ to }: UnsentText) => phoneText(to),
};

/** The texts of all agencies that are not sent yet, and why. */
export function UnsentTexts() {
  const query = usePages(operatorQueries.unsentTexts());
  return (
    <Page title="Texts that are not sent">
      <Link href="/operator/numbers" className="back">Numbers</Link>
      <p className="quiet">
        Each is sent when its cause has gone: a paused number is resumed, quiet hours end, the provider takes our login.
      </p>
      <Table
        query={query}
        resource="texts"
        empty={<EmptyState title="No text waits.">Each is with the provider.</EmptyState>}
        columns={[...COLUMNS, { title: "Waits", cell: ({ created_at }) => ago(created_at), isNumber: true }]}
        {...TABLE}
      />
    </Page>
  );
}

/** The texts of an agency that failed, and why. */
export function FailedTexts({ agencyId }: { agencyId: string }) {
  const query = usePages(operatorQueries.failedTexts(agencyId));
  return (
    <Page title="Texts that failed">
      <Link href="/operator" className="back">Today</Link>
      <p className="quiet">
        A code is the provider's. While recruits don't get the agency's texts, its orders can be paused.{" "}
        <Link href={`/operator/agencies/${agencyId}/orders`}>See the agency’s orders</Link>
      </p>
      <Table
        query={query}
        resource="texts"
        empty={<EmptyState title="No text of this agency has failed." />}
        columns={COLUMNS}
        {...TABLE}
      />
    </Page>
  );
}
