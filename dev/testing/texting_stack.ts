import { keptPorts } from "../local/mod.ts";
import { startThrowawayStack, type ThrowawayStack } from "./throwaway_stack.ts";
import { alertSettings, DESK_URL } from "./alert_receiver.ts";
import { graphSettings } from "./graph/app.ts";
import { twilioSettings } from "./twilio/account.ts";

const ports = keptPorts(6) as [number, number, number, number, number, number];

/** The ports of the doubles that a stack knows: of Twilio, of a receiver of alerts, and of Meta's Graph API. */
const DOUBLES = {
  desk: { twilio: ports[0], receiver: ports[1], graph: ports[4] },
  texting: { twilio: ports[2], receiver: ports[3], graph: ports[5] },
};

/** The variables of the tests, so that the doubles they start are those that their stack knows. */
export function doublesEnv(stack: string): Record<string, string> {
  const doubles = Object.entries(DOUBLES).find(([name]) => name === stack)?.[1];
  if (doubles === undefined) return {};
  return {
    TWILIO_DOUBLE_PORT: String(doubles.twilio),
    ALERT_RECEIVER_PORT: String(doubles.receiver),
    GRAPH_DOUBLE_PORT: String(doubles.graph),
  };
}

/**
 * Starts a stack that sends texts to a double of Twilio, notifies a receiver of alerts, and fetches leads from a double of
 * Meta's Graph API; `desk` serves the desk too. Tests ask the worker for its work.
 */
export function startTextingStack(name: keyof typeof DOUBLES): Promise<ThrowawayStack> {
  const { twilio, receiver, graph } = DOUBLES[name];
  const settings = {
    ...twilioSettings(twilio),
    ...alertSettings(receiver),
    ...graphSettings(graph),
    TEXTING_WORKER: "off",
    DESK_URL: name === "desk" ? "" : DESK_URL,
  };
  return startThrowawayStack(settings, { hasDesk: name === "desk" });
}
