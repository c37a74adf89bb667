import { ActionError, useAction } from "./action.tsx";

/**
 * Copies words.
 *
 * @param of what they are, for screen readers, where there are many
 */
export function CopyButton({ words, of }: { words: string; of?: string }) {
  const action = useAction(async () => {
    await navigator.clipboard.writeText(words).catch(() => {
      throw new Error("The browser does not allow it. Select the words and copy them.");
    });
  });
  return (
    <span className="action">
      <button type="button" onClick={() => action.run()}>
        {action.isDone ? "Copied" : "Copy"}
        {of !== undefined && <span className="visually-hidden">{` ${of}`}</span>}
      </button>
      <ActionError action={action} />
    </span>
  );
}
