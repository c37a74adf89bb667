/**
 * A page that shows one component of `desk/ui` alone, by the name in its address: `#confirm-button`. Only the tests
 * build it (e2e/desk/components.test.ts); it is no part of the desk.
 */
import { QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, StrictMode, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { queryClient } from "../../data/queries.ts";
import { ActionButton, ActionError, useAction } from "../action.tsx";
import { ConfirmButton } from "../confirm.tsx";
import { ErrorBoundary } from "../error_boundary.tsx";
import { Field } from "../field.tsx";
import { useIsWide } from "../is_wide.ts";
import { useDeskLocation, useDeskSearch } from "../location.ts";
import { useOnline } from "../online.ts";
import { Search, useDebounced } from "../search.tsx";
import { useVisibleHeight } from "../visible_height.ts";
import { PARTS } from "./parts.tsx";

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
  "search": () => <SearchBox />,
  "error-boundary": () => (
    <ErrorBoundary>
      <Faulty />
    </ErrorBoundary>
  ),
  "browser": () => <Browser />,
  ...PARTS,
};

const root = createRoot(document.getElementById("desk")!);
const example = EXAMPLES[/^#\/?([^?]*)/.exec(location.hash)![1]!]!();
root.render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Router hook={useDeskLocation} searchHook={useDeskSearch}>
        {location.hash === "#error-boundary" ? example : (
          <main>
            <h1>Example</h1>
            {example}
          </main>
        )}
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
