/**
 * A page that shows one component of `desk/ui` alone, by the name in its address: `#confirm-button`. Only the tests
 * build it (e2e/desk/components.test.ts); it is no part of the desk.
 */
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "../../data/queries.ts";
import type { RecruitCard } from "../../data/recruits.ts";
import { ActionButton, ActionError, useAction } from "../action.tsx";
import { ConfirmButton } from "../confirm.tsx";
import { DotSeparated } from "../dot_separated.tsx";
import { ErrorBoundary } from "../error_boundary.tsx";
import { Field } from "../field.tsx";
import { useIsWide } from "../is_wide.ts";
import { JsonFields } from "../json_value.tsx";
import { LoadMoreButton } from "../load_more_button.tsx";
import { useOnline } from "../online.ts";
import { Page } from "../page.tsx";
import { RecruitFacts, ResumeButton } from "../recruit_facts.tsx";
import { Search, useDebounced } from "../search.tsx";
import { EmptyState, ErrorState, QueryResult, Skeleton } from "../query_result.tsx";
import { Time } from "../time.tsx";
import { setUnread } from "../title.ts";
import { useVisibleHeight } from "../visible_height.ts";

/** The object by which a test watches an example, and ends what it does. */
interface Test {
  /** The number of times that an example was asked to act. */
  calls: number;
  /** Whether the view that has a fault works by now. */
  isMended: boolean;
  /** The values that it was given. */
  given: unknown[];
  resolve: () => void;
  reject: (sentence: string) => void;
}

const test: Test = { calls: 0, isMended: false, given: [], resolve: () => {}, reject: () => {} };
Object.assign(globalThis, { test });

/** Acts until the test says how it ends. */
function act(given?: unknown): Promise<void> {
  test.calls++;
  test.given.push(given instanceof FormData ? Object.fromEntries(given) : given);
  return new Promise((resolve, reject) => {
    test.resolve = resolve;
    test.reject = (sentence) => reject(new Error(sentence));
  });
}

const RECRUIT: RecruitCard = {
  id: "00000000-0000-4000-8000-000000000001",
  first_name: "Maya",
  last_name: "Ortiz",
  phone: "+13125550121",
  email: "maya@example.com",
  state: "TX",
  created_at: "2026-01-02T15:04:05Z",
  agents: { first_name: "Nora", last_name: "Quist" },
  agent_notifications: [],
  recruiting_conversations: [],
  recruit_stages: [],
  agent_id: null,
  resume_path: "a/b.pdf",
  vendor_metadata: {
    city: "Austin",
    zip: "78701",
    job_title: "Agent",
    campaign: "spring",
    answers: [{ question: "Are you licensed?", answer: true }, { question: "Since when?", answer: null }],
  },
  screening_answers: [{ question: "work_type", value: "full_time", said: "All day" }],
};

/** A form that acts with its fields. */
function Form() {
  const action = useAction<FormData>(act);
  return (
    <form onSubmit={action.onSubmit}>
      <Field label="E-mail" name="email" type="email" hint="Only you see it." required />
      <button type="submit" aria-disabled={action.isRunning}>Save</button>
      <ActionError action={action} />
      <p role="status">{action.isDone && "Saved"}</p>
    </form>
  );
}

/** A list of which the test says how it was read. */
function List() {
  const [isFetchingNextPage, setFetching] = useState(false);
  const [count, setCount] = useState(2);
  return (
    <>
      <ul>{Array.from({ length: count }, (_, n) => <li key={n}>Row {n}</li>)}</ul>
      <LoadMoreButton
        query={{
          hasNextPage: count < 4,
          isFetchingNextPage,
          fetchNextPage: () => {
            setFetching(true);
            void act().then(() => {
              setCount(4);
              setFetching(false);
            });
          },
        }}
      />
    </>
  );
}

function Result({ data, error }: { data?: string[]; error?: string }) {
  const query = { data, error: error === undefined ? null : new Error(error), refetch: act };
  return (
    <QueryResult query={query} resource="recruits">
      {(names) => names.length === 0 ? <EmptyState title="Nobody.">Look again.</EmptyState> : <p>{names.join(", ")}</p>}
    </QueryResult>
  );
}

function SearchBox() {
  const [typed, setTyped] = useState("");
  const debounced = useDebounced(typed);
  const values = useRef<string[]>([]);
  if (values.current.at(-1) !== debounced) values.current.push(debounced);
  return (
    <>
      <Search value={typed} onChange={setTyped} />
      <p role="status">{values.current.join("|")}</p>
    </>
  );
}

function View({ title }: { title: string }) {
  const [isOther, setOther] = useState(false);
  return (
    <Page key={String(isOther)} title={isOther ? "Another view" : title}>
      <button type="button" onClick={() => setOther(true)}>Go on</button>
      <button type="button" onClick={() => setUnread(3)}>Three unread</button>
    </Page>
  );
}

/** A view that has a fault until the test mends it. */
function Faulty() {
  if (!test.isMended) throw new Error("a fault of the view");
  return <p>The view is back</p>;
}

function Browser() {
  useVisibleHeight();
  return <p role="status">{useIsWide() ? "wide" : "narrow"}, {useOnline() ? "online" : "offline"}</p>;
}

const EXAMPLES: Record<string, () => ReactNode> = {
  "action-button": () => <ActionButton act={act}>Do it</ActionButton>,
  "confirm-button": () => (
    <ConfirmButton
      label="Delete it"
      question={<p>It is gone then.</p>}
      act={() => act()}
      className="link"
    />
  ),
  "form": () => <Form />,
  "load-more-button": () => <List />,
  "result-loading": () => <Result />,
  "result-failed": () => <Result error="No connection." />,
  "result-empty": () => <Result data={[]} />,
  "result-read": () => <Result data={["Maya", "Omar"]} />,
  "result-stale": () => <Result data={["Maya", "Omar"]} error="No connection." />,
  "skeleton": () => <Skeleton rows={3} />,
  "error-state": () => <ErrorState what="It could not be read." error="The service has a fault." retry={act} />,
  "search": () => <SearchBox />,
  "page": () => <View title="A <b>view</b>" />,
  "error-boundary": () => (
    <ErrorBoundary>
      <Faulty />
    </ErrorBoundary>
  ),
  "dot-separated": () => (
    <p>
      <DotSeparated>
        one{""}
        {false}
        {null}
        <b>two</b>
        three
      </DotSeparated>
    </p>
  ),
  "json-fields": () => (
    <JsonFields
      fields={{
        campaign: "<i>spring</i>",
        Test_Lead: true,
        nothing: null,
        empty: { also: "" },
        states: ["TX", null, "OK"],
        nested: [{ answer: 5, question: "How many?" }],
        applied: "2026-07-29T08:00:00Z",
        day: "2026-07-29",
      }}
    />
  ),
  "time": () => <Time at="2020-02-03T16:05:00Z" />,
  "recruit-facts": () => (
    <>
      <RecruitFacts recruit={RECRUIT} isManager />
      <ResumeButton recruit={RECRUIT} />
    </>
  ),
  "recruit-unknown": () => (
    <RecruitFacts
      recruit={{
        ...RECRUIT,
        phone: "call me",
        email: "javascript:alert(1)",
        agents: null,
        resume_path: null,
        vendor_metadata: {},
        screening_answers: [],
      }}
      isManager={false}
    />
  ),
  "browser": () => <Browser />,
};

const root = createRoot(document.getElementById("desk")!);
const example = EXAMPLES[location.hash.slice(1)]!();
root.render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      {isPage(location.hash) ? example : (
        <main>
          <h1>Example</h1>
          {example}
        </main>
      )}
    </QueryClientProvider>
  </StrictMode>,
);

/** Whether an example has its main part and its heading itself. */
function isPage(hash: string): boolean {
  return ["#page", "#error-boundary"].includes(hash);
}
