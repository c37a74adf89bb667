import { Link } from "wouter";
import { explainWhy } from "../../supabase/functions/_shared/twilio_errors.ts";
import { operatorQueries, type UnsentText } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { LoadMoreButton, type PagedQuery } from "../ui/load_more_button.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState, QueryResult } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";

/** The texts of all agencies that are not sent yet, and why. */
export function UnsentTexts() {
  const query = usePages(operatorQueries.unsentTexts());
  return (
    <Page title="Texts that are not sent">
      <Link href="/operator/numbers" className="back">Numbers</Link>
      <p className="quiet">
        Each is sent when its cause has gone: a paused number is resumed, quiet hours end, the provider takes our login.
      </p>
      <QueryResult query={query} resource="texts">
        {(texts) =>
          texts.length === 0
            ? <EmptyState title="No text waits.">Each is with the provider.</EmptyState>
            : <TextTable texts={texts} query={query} />}
      </QueryResult>
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
        <Link href={`/operator/orders/agency/${agencyId}`}>See the agency’s orders</Link>
      </p>
      <QueryResult query={query} resource="texts">
        {(texts) =>
          texts.length === 0
            ? <EmptyState title="No text of this agency has failed." />
            : <TextTable texts={texts} query={query} />}
      </QueryResult>
    </Page>
  );
}

function TextTable({ texts, query }: { texts: UnsentText[]; query: PagedQuery }) {
  return (
    <>
      <div className="scroll" tabIndex={0} role="region" aria-label="Texts">
        <table>
          <thead>
            <tr>
              <th scope="col">Written</th>
              <th scope="col">Agency</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
              <th scope="col">Author</th>
              <th scope="col">State</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {texts.map(({ message_id, created_at, agency, from, to, kind, state, why, reason }) => (
              <tr key={message_id}>
                <td>
                  <Time at={created_at} />
                </td>
                <td>{agency}</td>
                <td>{phoneText(from)}</td>
                <td>{phoneText(to)}</td>
                <td>{kind}</td>
                <td>{state}</td>
                <td>{explainWhy({ why, reason })}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <LoadMoreButton query={query} />
    </>
  );
}
