import { keptPorts } from "../local/mod.ts";
import { startThrowawayStack, type ThrowawayStack } from "./throwaway_stack.ts";
import { twilioSettings } from "./twilio/account.ts";

const doublePort = keptPorts(1)[0]!;

/** The variables of the tests, so that the double they start is the one that the texting stack knows. */
export const DOUBLE_ENV = { TWILIO_DOUBLE_PORT: String(doublePort) };

/** Starts a stack that serves the desk and sends texts to a double of Twilio. Tests ask the worker for its work. */
export function startTextingStack(): Promise<ThrowawayStack> {
  return startThrowawayStack({ ...twilioSettings(doublePort), TEXTING_WORKER: "off" }, { hasDesk: true });
}
