import { ConfigurationError } from "../supabase/functions/_shared/configuration.ts";
import { type TwilioAccount, twilioAccount } from "../supabase/functions/worker/twilio/account.ts";
import { TwilioError } from "../supabase/functions/worker/twilio/api.ts";
import { CommandError } from "./errors.ts";

/**
 * The account that the environment names.
 *
 * @throws {CommandError} naming what is not set
 */
export function accountFromEnvironment(): TwilioAccount {
  try {
    return twilioAccount();
  } catch (error) {
    throw error instanceof ConfigurationError ? new CommandError(error.message) : error;
  }
}

/** Works with Twilio; `so` is what its errors mean for the command. */
export async function atTwilio<Value>(so: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TwilioError)) throw error;
    const hint = error.code === "20009" ? " A text is still on its way: wait some minutes." : "";
    throw new CommandError(`${error.message}.${hint} ${so}`);
  }
}
