import { PDF_BASE64 } from "../../e2e/support/applications.ts";
import { stack, withKey } from "../../e2e/support/client.ts";
import { lead } from "../../e2e/support/leads.ts";
import { newPhone, newSid, type Parameters, signedForm } from "../../e2e/support/sms.ts";
import { proofOf } from "../../e2e/support/webhooks.ts";
import type { Random } from "../testing/random.ts";
import type { Row, Table, Told, TrafficRequest } from "./request.ts";
import type { World } from "./world.ts";

const STATES = ["IL", "TX", "CA", "NY", "FL"];
const TYPES = ["presentation_started", "presentation_resumed", "presentation_paused"];
/** The fields by which a single lead is recognised when it comes again. One with a resume has an id. */
const RECOGNIZED_BY = ["id", "id", "id", "id", "resume", "resume", "resume", "key", "key", "nothing"];
const MOST_RECOGNIZED = 1_000;
const JSON_TYPE = { "content-type": "application/json" };

/** Makes requests of every route that stores something, in the same order for the same random numbers. */
export class Traffic {
  readonly #random: Random;
  readonly #world: World;
  readonly #kinds: (() => TrafficRequest)[];
  /** The last single leads with an id of the vendor, which may come again. */
  readonly #recognized: TrafficRequest[] = [];
  #count = 0;
  #outbound = 0;

  constructor(random: Random, world: World) {
    this.#random = random;
    this.#world = world;
    const shares: Record<string, [share: number, kind: () => TrafficRequest][]> = {
      "POST /recruiting/ingest": [[33, () => this.#ingest()], [4, () => this.#ingestAgain()]],
      "POST /recruiting/ingest/bulk": [[6, () => this.#bulk()]],
      "POST /recruiting/webhooks/{slug}": [[14, () => this.#webhook()]],
      "POST /recruiting/sms/inbound": [[13, () => this.#text()], [1, () => this.#textToNobody()]],
      "POST /recruiting/sms/status": [[7, () => this.#status()]],
      "POST /api/leads/import": [[6, () => this.#import()]],
      "POST /api/leads/log-presentation-activity": [[16, () => this.#activity()]],
    };
    this.#kinds = Object.values(shares).flat().flatMap(([share, kind]) => Array(share).fill(kind));
  }

  /** The next request. */
  next(): TrafficRequest {
    this.#count++;
    return this.#random.pick(this.#kinds)();
  }

  /** A single lead with a resume. */
  lead(): TrafficRequest {
    return this.#ingest("resume");
  }

  #ingest(kind = this.#random.pick(RECOGNIZED_BY)): TrafficRequest {
    const { key, payload } = this.#lead();
    const row: Row = { table: "recruiting_leads", key };
    const headers: Record<string, string> = withKey(this.#world.vendor);
    if (kind === "id" || kind === "resume") payload.vendor_lead_id = key;
    if (kind === "key") headers["idempotency-key"] = crypto.randomUUID();
    if (kind === "resume") {
      row.hasResume = true;
      payload.resume = PDF_BASE64;
    }
    const request = this.#json("/recruiting/ingest", headers, payload, [row], readLead(row));
    if (kind === "id") this.#recognized.push(request);
    if (this.#recognized.length > MOST_RECOGNIZED) this.#recognized.shift();
    return { ...request, isUnrecognizable: kind === "nothing" };
  }

  /**
   * A lead that has come before. Every second one is recent: during a fault the first request is still under way then.
   */
  #ingestAgain(): TrafficRequest {
    if (this.#recognized.length === 0) return this.#ingest();
    return this.#random.pick(this.#recognized.slice(this.#random.happens(0.5) ? -20 : 0));
  }

  #bulk(): TrafficRequest {
    const hasIds = this.#random.happens(0.5);
    const leads = Array.from({ length: 5 }, () => this.#lead());
    const rows = leads.map(({ key }): Row => ({ table: "recruiting_leads", key }));
    const items = leads.map(({ key, payload }) => hasIds ? { ...payload, vendor_lead_id: key } : payload);
    const headers = { ...withKey(this.#world.vendor), ...(!hasIds && { "idempotency-key": crypto.randomUUID() }) };
    return this.#json(
      "/recruiting/ingest/bulk",
      headers,
      { leads: items },
      rows,
      ({ status, body: { created, duplicates, errors } }) =>
        status === 200 && created + duplicates === rows.length && errors.length === 0 ? [] : undefined,
    );
  }

  #import(): TrafficRequest {
    const leads = Array.from({ length: 5 }, () => lead());
    const rows = leads.map(({ external_id }): Row => ({ table: "leads", key: external_id as string }));
    const body = { ...this.#world.target, leads };
    const headers = { "x-api-key": stack.leads_import_api_key };
    return this.#json("/api/leads/import", headers, body, rows, ({ status, body }) => {
      if (status !== 200 || body.imported + body.failed !== rows.length) return undefined;
      const failed = new Map<number, { code: string; lead_id: string }>(
        body.errors.map((error: { index: number }) => [error.index, error]),
      );
      const codes = [...failed.values()].map(({ code }) => code);
      if (codes.includes("DATABASE_ERROR")) return "again";
      if (codes.some((code) => code !== "DUPLICATE")) return undefined;
      const ids = [...body.lead_ids];
      return rows.map((row, index) => ({ ...row, id: failed.get(index)?.lead_id ?? ids.shift() }));
    });
  }

  #activity(): TrafficRequest {
    const lead_id = this.#random.pick(this.#world.salesLeadIds);
    const type = this.#random.pick(TYPES);
    const { agent_id } = this.#world.target;
    const headers = { apikey: stack.anon_key, "idempotency-key": crypto.randomUUID() };
    return this.#json(
      "/api/leads/log-presentation-activity",
      headers,
      { lead_id, agent_id, type },
      [{ table: "lead_activities", key: `${lead_id} ${type}` }],
      ({ status, body }) => status === 200 && body.success === true ? [] : undefined,
    );
  }

  #text(): TrafficRequest {
    const { recruit, service } = this.#random.pick(this.#world.conversations);
    return this.#receivedText(recruit, service, "recruiting_messages", "received");
  }

  #textToNobody(): TrafficRequest {
    const [recruit, service] = [newPhone(), newPhone()];
    return this.#receivedText(recruit, service, "unmatched_texts", "no_conversation");
  }

  #receivedText(From: string, To: string, table: Table, expected: string): TrafficRequest {
    const sid = newSid();
    const parameters = { From, To, Body: `Text ${this.#count}`, MessageSid: sid };
    return this.#twilio("/recruiting/sms/inbound", parameters, { table, key: sid }, expected);
  }

  #status(): TrafficRequest {
    const sid = this.#world.outboundSids[this.#outbound++];
    if (sid === undefined) return this.#text();
    const parameters = { MessageSid: sid, MessageStatus: "delivered" };
    const row: Row = { table: "recruiting_message_events", key: sid };
    return this.#twilio("/recruiting/sms/status", parameters, row, "updated");
  }

  /** A delivery to one of the webhooks, with one lead or with three. */
  #webhook(): TrafficRequest {
    const webhook = this.#random.pick(this.#world.webhooks);
    // A delivery that is signed with the time has no id that stays the same when it is signed again.
    const hasIds = webhook.scheme === "hmac";
    const isList = this.#random.happens(0.25);
    const leads = Array.from({ length: isList ? 3 : 1 }, () => this.#lead());
    const rows = leads.map(({ key }): Row => ({ table: "recruiting_leads", key }));
    const isRecognized = isList || webhook.scheme === "standard" || hasIds;
    const payloads = leads.map(({ key, payload }) => hasIds ? { ...payload, vendor_lead_id: key } : payload);
    const body = JSON.stringify(isList ? payloads : payloads[0]);
    const id = crypto.randomUUID();
    const more: Record<string, string> = isRecognized ? {} : { "idempotency-key": id };
    return {
      route: `webhooks: ${webhook.scheme}`,
      make() {
        const { path, headers } = proofOf(webhook, body, { id });
        return { path, headers: { ...JSON_TYPE, ...more, ...headers }, body };
      },
      rows,
      read: isList ? readResults(rows) : readLead(rows[0]!),
    };
  }

  /** A lead that no other is like, and the key by which the account finds it. */
  #lead(): { key: string; payload: Record<string, unknown> } {
    const key = `Lead ${crypto.randomUUID()}`;
    const payload = {
      first_name: key,
      email: `${this.#count}@example.com`,
      phone: "(312) 555-0142",
      state: this.#random.pick(STATES),
    };
    return { key, payload };
  }

  #json(
    route: string,
    headers: Record<string, string>,
    payload: unknown,
    rows: Row[],
    read: TrafficRequest["read"],
  ): TrafficRequest {
    const message = { path: route, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(payload) };
    return { route, make: () => message, rows, read };
  }

  #twilio(route: string, parameters: Parameters, row: Row, expected: string): TrafficRequest {
    const token = { "i-twilio-idempotency-token": crypto.randomUUID() };
    const { headers, body } = signedForm(route, parameters);
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const message = { path: route, headers: { ...headers, ...token, ...type }, body: body.toString() };
    return {
      route,
      make: () => message,
      rows: [row],
      read({ status, body }) {
        if (status !== 200) return undefined;
        if (body.status === "error") return "again";
        return body.status === expected ? [] : undefined;
      },
    };
  }
}

function readLead(row: Row): TrafficRequest["read"] {
  return ({ status, body: { id, status: result, distributed_to } }) => {
    const isSuccess = (status === 201 && result === "created") ||
      (status === 200 && ["created", "duplicate"].includes(result));
    return isSuccess ? [{ ...row, id, distributed_to }] : undefined;
  };
}

function readResults(rows: Row[]): TrafficRequest["read"] {
  return ({ status, body }) => {
    if (status !== 200 || body.results?.length !== rows.length) return undefined;
    const told = rows.map((row, index) => readLead(row)({ status, body: body.results[index] }) as Told[] | undefined);
    return told.includes(undefined) ? undefined : (told as Told[][]).flat();
  };
}
