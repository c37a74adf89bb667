import { GraphDouble } from "../../dev/testing/graph/double.ts";

/** Runs something with the environment that lets commands ask a double of the Graph API. */
export async function withGraph<Value>(run: (double: GraphDouble) => Promise<Value>): Promise<Value> {
  const double = await GraphDouble.start();
  const settings = Object.entries(double.settings);
  for (const [name, value] of settings) Deno.env.set(name, value);
  try {
    return await run(double);
  } finally {
    for (const [name] of settings) Deno.env.delete(name);
    await double.stop();
  }
}
