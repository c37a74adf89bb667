import { showToast } from "../ui/toast.tsx";

/**
 * Changes a setting and says so in a toast, which can take it back. A refusal is said there too, where nothing else
 * shows it.
 *
 * @param change stores the change, and returns what takes it back
 */
export async function changeAndSay(words: string, change: () => Promise<() => Promise<unknown>>): Promise<void> {
  try {
    sayChanged(words, await change());
  } catch (error) {
    sayRefused(error);
  }
}

/** Says what was changed, with the button that takes it back. */
export function sayChanged(words: string, undo: () => Promise<unknown>): void {
  const run = () => undo().then(() => showToast("Taken back.", { meaning: "good" }), sayRefused);
  showToast(words, { meaning: "good", act: { label: "Undo", run } });
}

/** Says why something was refused, where nothing else shows it. */
export function sayRefused(error: unknown): void {
  showToast(error instanceof Error ? error.message : String(error), { meaning: "bad" });
}
