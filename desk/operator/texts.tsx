import { operatorQueries, type UnmatchedText } from "../data/operator.ts";
import { usePages } from "../data/pages.ts";
import { LoadMoreButton } from "../ui/load_more_button.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState, QueryResult } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { Command } from "./command.tsx";

/** Only such a number stands in a command: the sender of a text may have sent anything as its number. */
const NUMBER = /^\+\d{7,15}$/;

/** Texts that belong to no conversation. */
export function Texts() {
  const query = usePages(operatorQueries.unmatchedTexts());
  return (
    <Page title="Unmatched texts">
      <p className="quiet">
        Their two numbers have no conversation. Look for the recruit's lead, then give the text a conversation. A text
        may be an opt-out: a person who sent STOP must get no further text.
      </p>
      <QueryResult query={query} resource="texts">
        {(texts) => {
          if (texts.length === 0) {return (
              <EmptyState title="No text is unmatched.">Each belongs to a conversation.</EmptyState>
            );}
          return (
            <>
              <ul className="rows">
                {texts.map((text) => <TextRow key={text.id} text={text} />)}
              </ul>
              <LoadMoreButton query={query} />
            </>
          );
        }}
      </QueryResult>
    </Page>
  );
}

function TextRow({ text: { from, to, received_at, body, media } }: { text: UnmatchedText }) {
  return (
    <li className="unmatched">
      <p>
        From <strong>{from === null ? "unknown" : phoneText(from)}</strong> to{" "}
        {to === null ? "unknown" : phoneText(to)}, <Time at={received_at} />
      </p>
      <p className="words">{body || <span className="quiet">No words</span>}</p>
      {media > 0 && <p className="quiet">With {media === 1 ? "1 file" : `${media} files`}</p>}
      {NUMBER.test(from ?? "") && NUMBER.test(to ?? "") && (
        <details>
          <summary>Give it a conversation</summary>
          <Command line={`lead find ${from}`} />
          <Command line={`text adopt ${from} --to ${to}`} />
        </details>
      )}
    </li>
  );
}
