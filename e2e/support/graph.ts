import { GraphDouble } from "../../dev/testing/graph/double.ts";
import { withEnv } from "./env.ts";

/** Runs something with the environment that lets commands ask a double of the Graph API, by default one of its own. */
export async function withGraph<Value>(
  run: (double: GraphDouble) => Promise<Value>,
  shared?: GraphDouble,
): Promise<Value> {
  const double = shared ?? await GraphDouble.start();
  try {
    return await withEnv(double.settings, () => run(double));
  } finally {
    await (shared === undefined ? double.stop() : double.reset());
  }
}
