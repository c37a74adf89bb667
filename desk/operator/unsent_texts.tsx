import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { operatorQueries } from "../data/operator.ts";
import type { ServiceNumber, UnsentCause, UnsentText } from "../data/operator_rows.ts";
import { applyLawHours, cancelTexts, useResumeNumber } from "../data/operator_acts.ts";
import { usePages } from "../data/pages.ts";
import { ConfirmButton } from "../ui/confirm.tsx";
import { CopyButton } from "../ui/copy_button.tsx";
import { countText } from "../ui/count.ts";
import { useParameter } from "../ui/location.ts";
import { HeldSince } from "../ui/held_texts.tsx";
import { Page } from "../ui/page.tsx";
import { phoneText } from "../ui/phone.ts";
import { EmptyState } from "../ui/query_result.tsx";
import { Table, type TableColumn } from "../ui/table.tsx";
import { ago, Time } from "../ui/time.tsx";
import { showToast } from "../ui/toast.tsx";
import { stateName, whyText } from "./lead_words.ts";
import { shellWord } from "./shell_word.ts";
import { counted } from "./trouble_words.ts";

const TO: TableColumn<UnsentText> = { title: "To", cell: ({ to }) => phoneText(to), isHeader: true };
const ROW: TableColumn<UnsentText>[] = [
  { title: "Agency", cell: ({ agency }) => agency, isPlain: true },
  { title: "Author", cell: ({ kind }) => kind, isMinor: true },
  { title: "Written", cell: ({ created_at }) => <Time at={created_at} /> },
];
const WHY: TableColumn<UnsentText> = {
  title: "Why",
  cell: ({ states, ...text }) => whyText(text).replace("its state has no open hours", noHours(states)),
  isSentence: true,
};
/** Sets what the functions read, such as a key. */
const SECRETS = "npx supabase secrets set --remote=PROJECT NAME=VALUE";
const TABLE = {
  label: "Texts",
  keyOf: ({ message_id }: UnsentText) => message_id,
  nameOf: ({ to }: UnsentText) => phoneText(to),
};

/** The texts of all agencies that are not sent yet, and why. */
export function UnsentTexts() {
  const [cause] = useParameter("cause");
  const [subject] = useParameter("of");
  const query = usePages(operatorQueries.unsentTexts(cause, subject));
  const { data: causes } = useQuery(operatorQueries.unsentCauses());
  const hasOthers = causes !== undefined && causes.length > 1;
  return (
    <Page title="Texts that are not sent">
      <Link href="/operator/numbers" className="back">Numbers</Link>
      <p className="quiet">
        Each text is sent once its cause is gone.{hasOthers && cause === null && " Open a cause to see only its texts."}
      </p>
      <Causes />
      {(cause ?? subject) !== null && <Link href="/operator/outbox">Texts of all causes</Link>}
      <Table
        query={query}
        resource="texts"
        empty={<EmptyState title="No text waits.">Each is with the provider.</EmptyState>}
        columns={[
          TO,
          { title: "From", cell: ({ from }) => phoneText(from), isMinor: true },
          // A chosen cause says it.
          ...cause === null && hasOthers ? [WHY] : [],
          ...ROW,
          { title: "Waits", cell: ({ created_at }) => <HeldSince at={created_at} />, isNumber: true, isCorner: true },
        ]}
        acts={(texts, clear) => <CancelButton ids={texts.map(TABLE.keyOf)} onCancelled={clear} />}
        {...TABLE}
      />
    </Page>
  );
}

function CancelButton({ ids, onCancelled }: { ids: string[]; onCancelled: () => void }) {
  return (
    <ConfirmButton
      label="Cancel the selected"
      question={
        <p>
          {counted(ids.length, "text")} {ids.length === 1 ? "is" : "are"}{" "}
          never sent. This can’t be undone. It is noted with your name.
        </p>
      }
      act={async () => {
        const cancelled = await cancelTexts(ids);
        const others = cancelled < ids.length ? " The others no longer waited." : "";
        showToast(`Cancelled ${counted(cancelled, "text")}.${others}`, { meaning: others ? undefined : "good" });
        onCancelled();
      }}
    />
  );
}

/** Why they are not sent, each with what to do next. */
function Causes() {
  const query = useQuery(operatorQueries.unsentCauses());
  return (
    <Table
      label="Causes"
      query={query}
      resource="causes"
      empty={null}
      keyOf={({ cause, subject }) => cause + subject}
      nameOf={(row) => wordsOf(row)[0]}
      hrefOf={pathOf}
      columns={[
        { title: "Cause", cell: (row) => wordsOf(row)[0], isHeader: true, isSentence: true },
        { title: "Texts", cell: ({ texts }) => countText(texts), isNumber: true },
        { title: "Oldest", cell: ({ since }) => <HeldSince at={since} />, isCorner: true },
        { title: "Next step", cell: (row) => <NextStep of={row} />, isSentence: true, isPlain: true },
      ]}
    />
  );
}

function pathOf({ cause, subject }: UnsentCause): string {
  return `/operator/outbox?cause=${cause}${subject === null ? "" : `&of=${encodeURIComponent(subject)}`}`;
}

/** What an operator does about a cause: a button that does it, or words, with the command. */
export function NextStep({ of: row }: { of: UnsentCause }) {
  const { cause, subject, texts } = row;
  if (cause === "number_paused") return <Resume number={{ phone: subject!, waiting: texts }} />;
  if (cause === "no_hours") {
    return (subject || "all").split(",").map((state) => <UseLawHours key={state} state={state} of={row} />);
  }
  const [title, next, command] = wordsOf(row);
  return (
    <>
      {next} {command && (
        <>
          <code>{command}</code> <CopyButton words={command} what="the command" of={title} />
        </>
      )}
    </>
  );
}

/** Sends what waits for a paused number. */
export function Resume({ number }: { number: Pick<ServiceNumber, "phone" | "waiting"> }) {
  const { mutateAsync: resume } = useResumeNumber();
  return (
    <ConfirmButton
      label="Resume"
      of={phoneText(number.phone)}
      question={
        <p>
          {number.waiting === 1 ? "1 text waits" : `${countText(number.waiting)} texts wait`}{" "}
          for this number. All are sent now, as fast as the number may send. First fix the cause of the pause, or it is
          paused again. It is noted with your name.
        </p>
      }
      act={() => resume(number.phone)}
    />
  );
}

/** Takes away what closes a state. */
function UseLawHours({ state, of: row }: { state: string; of: UnsentCause }) {
  const place = state === "all" ? "all states" : stateName(state);
  const when = "when those hours are open";
  return (
    <ConfirmButton
      label={`Open ${place}`}
      question={
        <>
          <p>
            <strong>Use the hours of the law for {place}?</strong> {row.texts === 1
              ? `1 text is sent ${when}; it is`
              : `${countText(row.texts)} texts are sent ${when}; the oldest is`} {ago(row.since)}{" "}
            old. It is noted with your name.
          </p>
          <p>
            <Link
              href={pathOf(row)}
              onClick={({ currentTarget }) => currentTarget.closest("dialog")!.close()}
            >
              See the texts first, and cancel those that are too old
            </Link>
          </p>
        </>
      }
      act={async () => {
        const changed = await applyLawHours(state === "all" ? null : state);
        if (changed === 0) {
          throw new Error(
            `${place} has these hours already. What closes it is set for all states: npm run admin -- hours show`,
          );
        }
        showToast(`The hours of the law count for ${place}.`, { meaning: "good" });
      }}
    />
  );
}

/** A cause in words, what an operator does about it, and the command that does it. */
function wordsOf({ cause, subject, agency }: UnsentCause): [title: string, next?: string, command?: string] {
  const phone = phoneText(subject ?? "");
  const states = subject ? subject.split(",") : [];
  const words: Record<string, ReturnType<typeof wordsOf>> = {
    no_number: [
      `${phone} is not a number of ${agency}`,
      "Add it:",
      `number add ${shellWord(subject ?? "")} --agency ${shellWord(agency ?? "")}`,
    ],
    number_paused: [`${phone} of ${agency} is paused`],
    no_hours: [noHours(states)],
    quiet_hours: ["Quiet hours", "Nothing: each is sent when its texting hours begin."],
    credentials: ["Twilio refuses our login", "Correct TWILIO_API_KEY and TWILIO_API_SECRET.", SECRETS],
    no_account: ["No account at Twilio is set", "Set TWILIO_ACCOUNT_SID.", SECRETS],
    later: ["Twilio could not take them", "Nothing: each is tried again. If this goes on, see Twilio's status."],
    due: ["They are sent next", "Nothing. If they stay here, see Jobs, on Today."],
    sending: ["They are being sent", "Nothing."],
    unconfirmed: ["Twilio's response was lost", "Nothing: Twilio is asked about each of them."],
    unknown: ["Nobody knows whether they were sent", "Ask Twilio:", "text reconcile"],
  };
  const [title, next, command] = words[cause] ?? [cause];
  return [title, next, command && (command === SECRETS ? command : `npm run admin -- ${command}`)];
}

/** A cause in words. */
export function causeTitle(cause: UnsentCause): string {
  return wordsOf(cause)[0];
}

function noHours(states: string[]): string {
  if (states.length === 0) return "There are no hours in which a recruit of an unknown state may be texted";
  return `${states.map(stateName).join(" or ")} has no open hours`;
}

/** The texts of an agency that failed, and why. */
export function FailedTexts({ agencyId }: { agencyId: string }) {
  const query = usePages(operatorQueries.failedTexts(agencyId));
  return (
    <Page title="Texts that failed">
      <p className="quiet">
        The codes are Twilio's. While the agency's texts do not arrive, you can pause its orders.{" "}
        <Link href={`/operator/agencies/${agencyId}/orders`}>See the agency’s orders</Link>
      </p>
      <Table
        query={query}
        resource="texts"
        empty={<EmptyState title="No text of this agency has failed." />}
        columns={[TO, WHY, ...ROW.slice(1)]}
        {...TABLE}
      />
    </Page>
  );
}
