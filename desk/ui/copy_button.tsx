import { ActionError, useAction } from "./action.tsx";

/**
 * Copies words.
 *
 * @param what what they are
 * @param of of what, for screen readers, where there are many
 */
export function CopyButton({ words, what, of }: { words: string; what?: string; of?: string }) {
  const action = useAction(async () => {
    await navigator.clipboard.writeText(words).catch(() => {
      throw new Error("The browser does not allow it. Select the words and copy them.");
    });
  });
  return (
    <span className="action">
      <button type="button" onClick={() => action.run()}>
        {action.isDone ? "Copied" : "Copy"} {what} {of && <span className="visually-hidden">for {of}</span>}
      </button>
      <ActionError action={action} />
    </span>
  );
}
