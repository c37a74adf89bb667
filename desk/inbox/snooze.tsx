import AlarmClock from "lucide-react/icons/alarm-clock";
import AlarmClockOff from "lucide-react/icons/alarm-clock-off";
import { type ReactNode, useRef, useState } from "react";
import type { Conversation } from "../data/conversation.ts";
import { useSnooze } from "../data/conversation_changes.ts";
import { ActionError, useAction } from "../ui/action.tsx";
import type { IconAct } from "./owner_actions.tsx";

/**
 * Puts the conversation off, for everybody, until a time that the user chooses. `readUpTo`: the time of the recruit's
 * latest text on the page.
 */
export function useSnoozeAct(conversation: Conversation, readUpTo: string): {
  snooze: IconAct;
  /** Asks until when, and says what went wrong. */
  dialog: ReactNode;
} {
  const { snoozed_until, is_due } = conversation;
  const dialog = useRef<HTMLDialogElement>(null);
  const snooze = useSnooze(conversation, readUpTo);
  const [chosen, setChosen] = useState("");
  const choosing = useAction(() => {
    const at = new Date(chosen);
    if (Number.isNaN(at.getTime())) throw new Error("Choose a day and a time.");
    if (at.getTime() <= Date.now()) throw new Error("Choose a time that is still to come.");
    if (at.getTime() > Date.now() + 90 * DAY_MS) throw new Error("Choose a time within 90 days.");
    snoozeUntil(at);
  });

  function snoozeUntil(at: Date): void {
    snooze.mutate(at.toISOString());
    dialog.current!.close();
  }

  const isSnoozed = snoozed_until !== null && !is_due;
  const act = isSnoozed
    ? { label: "End the snooze", icon: AlarmClockOff, run: () => snooze.mutate(null) }
    : { label: "Snooze", icon: AlarmClock, run: () => dialog.current!.showModal() };
  const asking = (
    <>
      <ActionError action={snooze} />
      <dialog ref={dialog} aria-label="Snooze">
        <p>The conversation comes back to Waiting then. A new text ends it.</p>
        <p className="buttons">
          {timesFrom(new Date()).map(({ label, at }) => (
            <button
              key={label}
              type="button"
              onClick={() => snoozeUntil(at)}
            >
              {label}
            </button>
          ))}
        </p>
        <form
          className="buttons"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void choosing.run();
          }}
        >
          <input
            type="datetime-local"
            aria-label="Until"
            value={chosen}
            onChange={({ target }) => setChosen(target.value)}
          />
          <button type="submit">Snooze until then</button>
          <button type="button" onClick={() => dialog.current!.close()}>Cancel</button>
          <ActionError action={choosing} />
        </form>
      </dialog>
    </>
  );
  return { snooze: act, dialog: asking };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The times that are offered, in the zone of the user's machine. A morning is at nine. */
function timesFrom(now: Date): { label: string; at: Date }[] {
  const morning = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9);
  const monday = (8 - now.getDay()) % 7 || 7;
  return [
    { label: "1 hour", at: new Date(now.getTime() + 60 * 60 * 1000) },
    { label: "3 hours", at: new Date(now.getTime() + 3 * 60 * 60 * 1000) },
    { label: "Tomorrow morning", at: morning(1) },
    // Tomorrow may be Monday.
    ...(monday === 1 ? [] : [{ label: "Monday morning", at: morning(monday) }]),
  ];
}
