/** The longest wait for a view that reads nothing, or cannot. */
const MOST_MS = 5_000;

const { promise, resolve } = Promise.withResolvers<void>();

/** Called by what shows something that was read. */
export function sayViewStands(): void {
  resolve();
}

/**
 * Resolves when the first view of the page stands, which is when what was read first is shown. What can wait is loaded
 * then, so that it does not share the network with what the user waits for.
 */
export async function viewStands(): Promise<void> {
  await Promise.race([promise, new Promise((resolve) => setTimeout(resolve, MOST_MS))]);
  // The browser has painted it.
  await new Promise((resolve) => setTimeout(resolve));
}
