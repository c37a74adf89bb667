import { TwilioDouble } from "../../dev/testing/twilio/double.ts";

/** Runs a test with the environment that a double's account needs. */
export async function withDouble(run: (double: TwilioDouble) => Promise<void>): Promise<void> {
  const double = await TwilioDouble.start();
  const settings = Object.entries(double.settings);
  for (const [name, value] of settings) Deno.env.set(name, value);
  try {
    await run(double);
  } finally {
    for (const [name] of settings) Deno.env.delete(name);
    await double.stop();
  }
}
