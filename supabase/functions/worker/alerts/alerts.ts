import { callDatabase } from "../../_shared/database.ts";
import type { Job, Report, RunContext } from "../../_shared/jobs.ts";
import { logError } from "../../_shared/log.ts";
import { AT_A_TIME } from "../../_shared/semaphores.ts";
import { type AlertBody, ping, postAlert } from "./request.ts";
import { alertReceiver, heartbeatUrl, type Receiver } from "./settings.ts";

/** A lease lasts 30 s. After this time, the outcome of a delivery can no longer be recorded. */
const RECORD_WITHIN_MS = 15_000;

/** Represents the request to the monitor among the deliveries. */
const HEARTBEAT = "heartbeat";

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

/**
 * Notifies the receiver of `ALERT_WEBHOOK_URL` of changed alerts, and the monitor of `ALERT_HEARTBEAT_URL` that alerts
 * are checked. The job ends if the receiver fails: the remaining deliveries are due again later.
 */
export function alerts({ requestId, report }: RunContext): Job<Delivery | typeof HEARTBEAT> {
  const receiver = settingOf(alertReceiver, report);
  const heartbeat = settingOf(heartbeatUrl, report);
  return {
    atOnce: AT_A_TIME.alerts,
    async claim(max) {
      const { deliveries, is_heartbeat_due }: Claimed = await callDatabase("claim_alert_deliveries", {
        max,
        has_webhook: receiver !== null,
        has_heartbeat: heartbeat !== null,
      });
      return { items: is_heartbeat_due ? [...deliveries, HEARTBEAT] : deliveries };
    },
    async handle(item) {
      if (item === HEARTBEAT) {
        await beat(heartbeat!, requestId);
        return { state: null };
      }
      const hasArrived = await deliver(receiver!, item, requestId);
      return { state: hasArrived ? "delivered" : null, isLast: !hasArrived };
    },
    idsOf: (item) => item === HEARTBEAT ? {} : { delivery_id: item.id },
  };
}

/** Returns a setting; null if it is not set or invalid. An invalid setting is reported. */
function settingOf<Value>(read: () => Value | null, report: Report): Value | null {
  try {
    return read();
  } catch (error) {
    report(error);
    return null;
  }
}

/** Posts a delivery and records its outcome. Returns whether it arrived. */
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
