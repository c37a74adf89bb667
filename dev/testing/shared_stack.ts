import { startThrowawayStack } from "./throwaway_stack.ts";

/** A plain stack of the files that one run of `deno test` has as one program. */
export const stack = await startThrowawayStack();
Deno.test.afterAll(() => stack.stop());
