import { GraphDouble } from "../../dev/testing/graph/double.ts";
import { withEnv } from "./env.ts";

/** Runs something with the environment that lets commands ask a double of the Graph API. */
export async function withGraph<Value>(run: (double: GraphDouble) => Promise<Value>): Promise<Value> {
  const double = await GraphDouble.start();
  try {
    return await withEnv(double.settings, () => run(double));
  } finally {
    await double.stop();
  }
}
