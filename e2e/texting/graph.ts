import { GraphDouble } from "../../dev/testing/graph/double.ts";

/** The double of the Graph API that the stack asks. */
export const double = await GraphDouble.start();
Deno.test.afterAll(() => double.stop());
