import { callDatabase } from "../../_shared/database.ts";
import { compileExpression } from "../../_shared/expression/expression.ts";
import { isObject, type JsonObject } from "../../_shared/json.ts";
import type { Job, Report, RunContext } from "../../_shared/jobs.ts";
import { logWarning } from "../../_shared/log.ts";
import { pastedUrl } from "../../_shared/public_url.ts";
import { AT_A_TIME } from "../../_shared/semaphores.ts";
import { mailOf, sendMail } from "./mail.ts";
import { noResponse, type Outcome } from "./outcome.ts";
import { areLocalDestinationsAllowed, type MailProvider, mailProvider } from "./settings.ts";
import { postMessage } from "./webhook.ts";

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
  /** `{type, timestamp, data}` */
  body: JsonObject;
  destination: Destination;
}

interface Destination {
  id: string;
  kind: "webhook" | "email";
  url: string | null;
  address: string | null;
  /** JMESPath over the event, which makes the body. */
  template: string | null;
  accepted_when: string | null;
  rejected_when: string | null;
  headers: Record<string, string>;
  secrets: string[];
}

/** Sends what agencies are to receive to their destinations, by webhook or by e-mail. */
export function dispatches({ requestId, report }: RunContext): Job<Dispatch> {
  const provider = settingOf(mailProvider, report);
  return {
    atOnce: AT_A_TIME.dispatches,
    async claim(max) {
      const { dispatches, next_at }: Claimed = await callDatabase("claim_dispatches", {
        max,
        can_mail: provider !== null,
        alert_url_is_set: false,
      });
      return { items: dispatches, nextAt: next_at };
    },
    handle: async (dispatch) => ({ state: await deliver(dispatch, provider, requestId) }),
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
async function deliver(dispatch: Dispatch, provider: MailProvider | null, requestId: string): Promise<string | null> {
  const { id, attempt, event, destination } = dispatch;
  const { outcome, status, excerpt, reason, retryAfter } = await send(dispatch, provider);
  if (outcome !== "delivered") {
    logWarning({
      request_id: requestId,
      event: "dispatch_not_delivered",
      dispatch_id: id,
      destination_id: destination.id,
      type: event,
      outcome,
      // The reason of a response may have words of the receiver.
      error_code: status === null ? reason : `HTTP ${status}`,
    });
  }
  return await callDatabase(
    "record_dispatch",
    { id, attempt, outcome, status, excerpt, reason, retry_after: retryAfter },
    { retryWithin: RECORD_WITHIN_MS },
  );
}

async function send({ id, body, destination }: Dispatch, provider: MailProvider | null): Promise<Outcome> {
  const event = withLink(body);
  if (destination.kind === "email") {
    // An agent may have lost the address since.
    if (destination.address === null) return noResponse("failed", "address");
    return await sendMail(provider!, { id, to: destination.address, mail: mailOf(event) });
  }
  const { url, template, headers, secrets, accepted_when, rejected_when } = destination;
  const content = template === null ? event : compileExpression(template).data?.search(event);
  // The template was tried before it was saved, so this event lacks what it needs.
  if (content === undefined) return noResponse("failed", "template");
  return await postMessage(
    { id, url: url!, headers, secrets, body: content, rules: { accepted_when, rejected_when } },
    { reach: areLocalDestinationsAllowed() ? "local" : "public" },
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
