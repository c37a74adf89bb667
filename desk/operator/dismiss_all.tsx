import { useRef, useState } from "react";
import { openDeliveries } from "../data/operator.ts";
import type { Group, Reason } from "../data/operator_rows.ts";
import { dismiss } from "../data/operator_acts.ts";
import { ConfirmDialog } from "../ui/confirm.tsx";
import { dismissedText } from "./outcome.ts";

/** A button that dismisses the open deliveries of a group, up to the newest one that its question counted. */
export function DismissAll(
  { group, known, onResolved }: { group: Group; known: Reason; onResolved: (sentence: string) => void },
) {
  const dialog = useRef<HTMLDialogElement>(null);
  // The page reads the count again while the question is open. The user would dismiss deliveries that nobody has seen.
  const [asked, setAsked] = useState(known);

  function ask(): void {
    setAsked(known);
    dialog.current!.showModal();
  }

  async function dismissAsked(): Promise<void> {
    const ids = await openDeliveries(group, asked.last_at);
    onResolved(dismissedText(await dismiss(ids), ids.length));
  }

  return (
    <>
      <button type="button" onClick={ask}>Dismiss all</button>
      <ConfirmDialog
        dialog={dialog}
        label="Dismiss all"
        question={
          <p>
            No lead is made of any of these {asked.deliveries.toLocaleString("en-US")}{" "}
            deliveries. This can't be undone. It is noted with your name.
          </p>
        }
        act={dismissAsked}
      />
    </>
  );
}
