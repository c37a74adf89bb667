import type { VapidKeys } from "@block65/webcrypto-web-push";
import { callDatabase } from "../../_shared/database.ts";
import { compileExpression } from "../../_shared/expression/expression.ts";
import { isObject, type JsonObject } from "../../_shared/json.ts";
import type { Job, Report, RunContext } from "../../_shared/jobs.ts";
import { logError, logWarning } from "../../_shared/log.ts";
import { pastedUrl } from "../../_shared/public_url.ts";
import { AT_A_TIME } from "../../_shared/semaphores.ts";
import { mailOf, sendMail } from "./mail.ts";
import { noResponse, type Outcome } from "./outcome.ts";
import { type PushTarget, sendPush } from "./push.ts";
import {
  type AlertReceiver,
  alertReceiver,
  areLocalDestinationsAllowed,
  type MailProvider,
  mailProvider,
  vapidKeys,
} from "./settings.ts";
import { type Network, postMessage } from "./webhook.ts";

/** A lease lasts 60 s, and an attempt at most 15 s. */
const RECORD_WITHIN_MS = 30_000;

/** The result of claim_dispatches(). */
interface Claimed {
  dispatches: Dispatch[];
  next_at: string | null;
}

/** An event for a destination. No other worker can claim it for 60 s. */
interface Dispatch {
  id: string;
  /** Reported with the outcome. */
  attempt: number;
  event: string;
  lead_id: string | null;
  /** `{type, timestamp, data}`; of an alert `{text, kind, subject, state, since, details}` */
  body: JsonObject;
  destination: Destination;
}

interface Destination {
  id: string;
  kind: "webhook" | "email" | "push";
  /** Null for the operators' destination and for e-mails; the endpoint of a push. */
  url: string | null;
  address: string | null;
  /** Of the browser; null for the other kinds. */
  push_keys: PushTarget["keys"] | null;
  /** JMESPath over the event, which makes the body. */
  template: string | null;
  accepted_when: string | null;
  rejected_when: string | null;
  headers: Record<string, string>;
  secrets: string[];
}

/** The senders that are set up. */
interface Senders {
  provider: MailProvider | null;
  receiver: AlertReceiver | null;
  vapid: VapidKeys | null;
}

/** Sends events by webhook, e-mail or Web Push to the destinations of agencies and agents, and alerts to operators. */
export function dispatches({ requestId, report }: RunContext): Job<Dispatch> {
  const provider = settingOf(mailProvider, report);
  const receiver = settingOf(alertReceiver, report);
  const vapid = settingOf(vapidKeys, report);
  return {
    atOnce: AT_A_TIME.dispatches,
    async claim(max) {
      const { dispatches, next_at }: Claimed = await callDatabase("claim_dispatches", {
        max,
        can_mail: provider !== null,
        alert_url_is_set: receiver !== null,
        can_push: vapid !== null,
      });
      return { items: dispatches, nextAt: next_at };
    },
    handle: async (dispatch) => ({ state: await deliver(dispatch, { provider, receiver, vapid }, requestId) }),
    idsOf: ({ id, destination }) => ({ dispatch_id: id, destination_id: destination.id }),
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

/** Sends a dispatch and records its outcome. Returns the state in which it is left. */
async function deliver(dispatch: Dispatch, senders: Senders, requestId: string): Promise<string | null> {
  const { id, attempt, event, destination } = dispatch;
  const { outcome, status, excerpt, reason, retryAfter } = await send(dispatch, senders);
  if (outcome !== "delivered") {
    // The reason of a response may have words of the receiver.
    const ids = { request_id: requestId, dispatch_id: id };
    const error_code = status === null ? reason : `HTTP ${status}`;
    if (isForOperators(destination)) {
      logError({ ...ids, event: "alert_not_delivered", kind: String(dispatch.body.kind), error_code });
    } else {
      logWarning({
        ...ids,
        event: "dispatch_not_delivered",
        destination_id: destination.id,
        type: event,
        outcome,
        error_code,
      });
    }
  }
  return await callDatabase(
    "record_dispatch",
    { id, attempt, outcome, status, excerpt, reason, retry_after: retryAfter },
    { retryWithin: RECORD_WITHIN_MS },
  );
}

/** Whether it is the destination of alerts. */
function isForOperators({ kind, url }: Destination): boolean {
  return kind === "webhook" && url === null;
}

async function send({ id, body, destination }: Dispatch, { provider, receiver, vapid }: Senders): Promise<Outcome> {
  const event = withLink(body);
  if (destination.kind === "email") {
    // An agent may have lost the address since.
    if (destination.address === null) return noResponse("failed", "address");
    return await sendMail(provider!, { id, to: destination.address, mail: mailOf(event) });
  }
  const network: Network = { reach: areLocalDestinationsAllowed() ? "local" : "public" };
  if (destination.push_keys !== null) {
    return await sendPush({ url: destination.url!, keys: destination.push_keys }, body, vapid!, network);
  }
  const rules = { accepted_when: destination.accepted_when, rejected_when: destination.rejected_when };
  if (isForOperators(destination)) {
    const { url, secrets, link } = receiver!;
    return await postMessage({ id, url, headers: {}, secrets, body: { ...body, link }, rules }, { reach: "any" });
  }
  const { url, template, headers, secrets } = destination;
  const content = template === null ? event : compileExpression(template).data?.search(event);
  // The template was tried before it was saved, so this event lacks what it needs.
  if (content === undefined) return noResponse("failed", "template");
  return await postMessage(
    { id, url: url!, headers, secrets, body: content, rules },
    network,
  );
}

/** The database knows the path of a lead in the desk, and not the desk's address. */
function withLink(event: JsonObject): JsonObject {
  const { data } = event;
  if (!isObject(data) || !isObject(data.lead) || typeof data.lead.link !== "string") return event;
  const desk = pastedUrl(Deno.env.get("DESK_URL") ?? "");
  const link = desk === "" ? null : `${desk}/#${data.lead.link}`;
  return { ...event, data: { ...data, lead: { ...data.lead, link } } };
}
