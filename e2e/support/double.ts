import { TwilioDouble } from "../../dev/testing/twilio/double.ts";
import { withEnv } from "./env.ts";

/** Runs a test with the environment that a double's account needs. */
export async function withDouble(run: (double: TwilioDouble) => Promise<void>): Promise<void> {
  const double = await TwilioDouble.start();
  try {
    await withEnv(double.settings, () => run(double));
  } finally {
    await double.stop();
  }
}
