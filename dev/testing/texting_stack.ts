import { keptPorts } from "../local/mod.ts";
import { startThrowawayStack, type ThrowawayStack } from "./throwaway_stack.ts";
import { alertSettings } from "./alert_receiver.ts";
import { twilioSettings } from "./twilio/account.ts";

const [doublePort, receiverPort] = keptPorts(2) as [number, number];

/** The variables of the tests, so that the doubles they start are those that the texting stack knows. */
export const DOUBLE_ENV = {
  TWILIO_DOUBLE_PORT: String(doublePort),
  ALERT_RECEIVER_PORT: String(receiverPort),
};

/**
 * Starts a stack that serves the desk, sends texts to a double of Twilio, and tells a receiver of alerts. Tests ask the
 * worker for its work.
 */
export function startTextingStack(): Promise<ThrowawayStack> {
  const settings = { ...twilioSettings(doublePort), ...alertSettings(receiverPort), TEXTING_WORKER: "off" };
  return startThrowawayStack(settings, { hasDesk: true });
}
