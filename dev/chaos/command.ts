import { InvalidArgumentError } from "commander";
import { startThrowawayStack, type ThrowawayStack } from "../testing/throwaway_stack.ts";

/** Reads an option of the command line. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) {
    throw new InvalidArgumentError("It must be a whole number above 0.");
  }
  return Number(text);
}

/**
 * Runs something on a stack of its own, and ends the program: with 1 when it returns false.
 *
 * @param seed for what is random; another one each time unless given
 * @param run what it imports by `import()` finds the stack
 */
export async function onOwnStack(
  seed: number | undefined,
  run: (seed: number, stack: ThrowawayStack) => Promise<boolean>,
): Promise<never> {
  const stack = await startThrowawayStack();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signal, async () => {
      await stack.stop();
      Deno.exit(1);
    });
  }
  let success = false;
  try {
    Deno.env.set("STACK_FILE", stack.file);
    const chosen = seed ?? Math.floor(Math.random() * 1e9);
    console.log(`--seed ${chosen}`);
    success = await run(chosen, stack);
  } finally {
    await stack.stop();
  }
  Deno.exit(success ? 0 : 1);
}
