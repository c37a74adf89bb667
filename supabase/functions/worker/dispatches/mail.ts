import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { noResponse, type Outcome, secondsOf } from "./outcome.ts";
import type { MailProvider } from "./settings.ts";

/** The timeout of the provider's response in milliseconds. */
const TIMEOUT_MS = 15_000;

export interface Mail {
  subject: string;
  text: string;
}

/** The subject of each event. The name is that of the recruit. */
const SUBJECTS: Record<string, (name: string, data: JsonObject) => string> = {
  "lead.distributed": (name) => `New lead: ${name}`,
  "lead.returned": (name) => `Lead returned: ${name}`,
  "lead.reassigned": (name) => `Lead reassigned: ${name}`,
  "recruit.replied": (name) => `Reply from ${name}`,
  "recruit.screened": (name) => `Screening completed: ${name}`,
  "recruit.opted_out": (name) => `Opted out: ${name}`,
  "recruit.stage_changed": (name, { stage }) => `${name} is now in the stage ${textOf(stage)}`,
  "recruit.erased": () => "Please erase a recruit's data",
  "agent.lead": (name, data) => `${name}${othersOf(data)} is a new recruit`,
  "agent.recruit_waiting": (name, data) => `${name}${othersOf(data)} is waiting for an answer`,
  "test": () => "This is a test",
};

/** Returns the e-mail about an event, `{type, timestamp, data}`. */
export function mailOf(event: JsonObject): Mail {
  const data = objectOf(event.data);
  const type = textOf(event.type);
  const lead = objectOf(data.lead);
  const name = [lead.first_name, lead.last_name].map(textOf).filter(Boolean).join(" ") || "a recruit";
  const subject = SUBJECTS[type]?.(name, data) ?? type;
  return {
    subject: subject.replace(/[\p{Cc}\s]+/gu, " ").slice(0, 200),
    text: linesOf(type, data, lead).join("\n"),
  };
}

/** The fields of a lead in an e-mail, in this order. */
const FIELDS: [field: string, label: string][] = [
  ["phone", "Phone"],
  ["email", "E-mail"],
  ["city", "City"],
  ["state", "State"],
  ["zip", "ZIP code"],
  ["received_at", "Received"],
];

function linesOf(type: string, data: JsonObject, lead: JsonObject): string[] {
  if (type === "recruit.erased") {
    return [`The data of the recruit ${textOf(lead.id)} has been erased. Please erase it in your systems too.`];
  }
  if (type === "test") return ["E-mails of this destination arrive here."];
  const agent = objectOf(data.agent);
  const lines = [
    ["Name", [lead.first_name, lead.last_name].map(textOf).filter(Boolean).join(" ")],
    ...FIELDS.map(([field, label]) => [label, textOf(lead[field])]),
    ["Vendor", textOf(objectOf(lead.vendor).name)],
    ["Agent", [agent.first_name, agent.last_name].map(textOf).filter(Boolean).join(" ")],
    ["Reason", textOf(data.reason)],
    ["Text", textOf(objectOf(data.text).body)],
    ...[...listOf(lead.answers), ...listOf(data.screening)].map(objectOf).map((
      { question, answer },
    ) => [textOf(question), textOf(answer)]),
  ].filter(([, value]) => value !== "").map(([label, value]) => `${label}: ${value}`);
  const link = textOf(lead.link);
  return link === "" ? lines : [...lines, "", link];
}

/** The recruits whom the e-mail of an agent does not name. */
function othersOf({ others }: JsonObject): string {
  return typeof others === "number" && others > 0 ? ` (and ${others} more)` : "";
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * Sends an e-mail. The provider sends one for all requests with the same id.
 *
 * @see https://resend.com/docs/api-reference/emails/send-email and https://resend.com/docs/dashboard/emails/idempotency-keys
 */
export async function sendMail(
  { origin, apiKey, from }: MailProvider,
  { id, to, mail }: { id: string; to: string; mail: Mail },
): Promise<Outcome> {
  try {
    const response = await fetch(`${origin}/emails`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "idempotency-key": id },
      body: new Blob([JSON.stringify({ from, to: [to], ...mail })], { type: "application/json" }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status, headers } = response;
    // The response quotes the request, and nobody needs it.
    response.body?.cancel().catch(() => {});
    if (response.ok) return { outcome: "delivered", status, excerpt: null, reason: null, retryAfter: null };
    // The provider does not take this e-mail, such as one to an invalid address.
    const isFinal = status === 400 || status === 422;
    return {
      outcome: isFinal ? "failed" : "retry",
      status,
      excerpt: null,
      reason: status === 401 || status === 403 ? "credentials" : `HTTP ${status}`,
      retryAfter: secondsOf(headers.get("retry-after")),
    };
  } catch {
    return noResponse("retry", "no_response");
  }
}
