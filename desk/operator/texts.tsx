import { useRef, useState } from "react";
import { operatorQueries } from "../data/operator.ts";
import type { UnmatchedText } from "../data/operator_rows.ts";
import { useAdoptTexts } from "../data/operator_acts.ts";
import { usePages } from "../data/pages.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { countOf } from "../ui/count.ts";
import { List } from "../ui/list.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Time } from "../ui/time.tsx";

/** Texts that belong to no conversation. */
export function Texts() {
  const query = usePages(operatorQueries.unmatchedTexts());
  const [report, setReport] = useState("");
  const notice = useRef<HTMLParagraphElement>(null);

  function onAdopted(sentence: string): void {
    setReport(sentence);
    // The row with its button goes away.
    notice.current!.focus();
  }

  return (
    <Page title="Unmatched texts">
      <p className="quiet">
        Texts between two numbers without a conversation. Somebody who sent STOP must get no further text, but is opted
        out only once the text has a conversation.
      </p>
      <p className="notice" role="status" tabIndex={-1} ref={notice}>{report}</p>
      <List
        query={query}
        resource="texts"
        empty={<EmptyState title="No text is unmatched.">Each belongs to a conversation.</EmptyState>}
        keyOf={({ id }) => id}
        row={(text) => <TextRow text={text} onAdopted={onAdopted} />}
      />
    </Page>
  );
}

function TextRow({ text, onAdopted }: { text: UnmatchedText; onAdopted: (sentence: string) => void }) {
  const { from, to, received_at, body, media, lead_id, recruit, agency, agent } = text;
  const { mutateAsync: adopt } = useAdoptTexts();
  const name = <bdi>{recruit ?? "A recruit without a name"}</bdi>;
  return (
    <li className="unmatched">
      <p>
        From <strong>{from === null ? "unknown" : phoneText(from)}</strong> to{" "}
        {to === null ? "unknown" : phoneText(to)}, <Time at={received_at} />
      </p>
      <p className="words">{body || <span className="quiet">No words</span>}</p>
      {media > 0 && <p className="quiet">With {countOf(media, "file", "files")}</p>}
      {lead_id === null
        ? (
          <p className="quiet">
            No lead of this number's agency has this phone. The text stays here until such a lead comes; then an opt-out
            in it takes effect.
          </p>
        )
        : (
          <div className="buttons">
            <p>
              {name} is a lead of {agency}
              {agent !== null && (
                <>
                  , <bdi>{agent}</bdi>
                </>
              )}.
            </p>
            <ConfirmButton
              label="Give it a conversation"
              question={
                <p>
                  All texts between these two numbers become a conversation of {name} with {agency}.{" "}
                  {agent === null ? "The lead has no active agent, so its managers are notified." : (
                    <>
                      <bdi>{agent}</bdi> has it, and is notified.
                    </>
                  )} This can't be undone. It is noted with your name.
                </p>
              }
              act={async () => onAdopted(outcome(await adopt(text), agency!))}
            />
          </div>
        )}
    </li>
  );
}

function outcome(texts: number, agency: string): string {
  if (texts === 0) return "Somebody else has given it a conversation meanwhile.";
  return `${texts === 1 ? "1 text has" : `${texts} texts have`} a conversation at ${agency} now.`;
}
