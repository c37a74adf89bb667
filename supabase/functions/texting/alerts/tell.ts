import { callDatabase } from "../../_shared/database.ts";
import { describeError, logError } from "../../_shared/log.ts";
import { AT_A_TIME } from "../../_shared/semaphores.ts";
import { type AlertBody, ping, postAlert } from "./request.ts";
import { alertReceiver, heartbeatUrl, type Receiver } from "./settings.ts";

/** After this time no further delivery is claimed. */
const CLAIM_FOR_MS = 20_000;

/** A lease has 30 s. After this time the outcome of a delivery is not recorded any more. */
const RECORD_WITHIN_MS = 15_000;

/** The result of claim_alert_deliveries(). */
interface Claimed {
  deliveries: Delivery[];
  is_heartbeat_due: boolean;
}

/** A message about an alert. Its id is the header `webhook-id`. */
interface Delivery {
  id: string;
  attempt: number;
  body: AlertBody;
}

/** The result of one call of the worker. */
export interface Told {
  /** The number of deliveries that arrived. */
  alerts: number;
  /** The number of errors in the service itself, which the log has. A receiver that fails is none. */
  errors: number;
}

/**
 * Tells the receiver of `ALERT_WEBHOOK_URL` what is new of alerts, and the monitor of `ALERT_HEARTBEAT_URL` that alerts
 * are checked. A receiver that fails ends it; what it was not told is due again later. Never rejects.
 */
export async function tellAlerts(requestId: string): Promise<Told> {
  const told: Told = { alerts: 0, errors: 0 };
  const report = (error: unknown) => {
    told.errors++;
    const cause = error instanceof Error ? error.cause ?? error : error;
    logError({ request_id: requestId, event: "alerts_not_told", ...describeError(cause) });
  };
  const receiver = settingOf(alertReceiver, report);
  const heartbeat = settingOf(heartbeatUrl, report);
  try {
    for (const deadline = Date.now() + CLAIM_FOR_MS; Date.now() < deadline;) {
      const { deliveries, is_heartbeat_due }: Claimed = await callDatabase("claim_alert_deliveries", {
        max: AT_A_TIME.alerts,
        has_webhook: receiver !== null,
        has_heartbeat: heartbeat !== null,
      });
      const beating = is_heartbeat_due ? beat(heartbeat!, requestId) : undefined;
      const arrived = await Promise.all(deliveries.map((delivery) => deliver(receiver!, delivery, requestId)));
      await beating;
      const count = arrived.filter(Boolean).length;
      told.alerts += count;
      if (count === 0 || count < deliveries.length) break;
    }
  } catch (error) {
    report(error);
  }
  return told;
}

/** A setting; null where it is not set, or wrong. Then it is reported. */
function settingOf<Value>(read: () => Value | null, report: (error: unknown) => void): Value | null {
  try {
    return read();
  } catch (error) {
    report(error);
    return null;
  }
}

/** Posts a delivery and records what became of it. Returns whether it arrived. */
async function deliver(receiver: Receiver, { id, attempt, body }: Delivery, requestId: string): Promise<boolean> {
  const { outcome, code, retryAfter } = await postAlert(receiver, id, body);
  if (outcome !== "delivered") {
    logError({
      request_id: requestId,
      event: "alert_not_delivered",
      delivery_id: id,
      kind: body.kind,
      error_code: code,
    });
  }
  await callDatabase(
    "record_alert_delivery",
    { id, attempt, outcome, code, retry_after: retryAfter },
    { retryWithin: RECORD_WITHIN_MS },
  );
  return outcome === "delivered";
}

async function beat(url: string, requestId: string): Promise<void> {
  const { outcome, code } = await ping(url);
  if (outcome !== "delivered") logError({ request_id: requestId, event: "heartbeat_failed", error_code: code });
}
