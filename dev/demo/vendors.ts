import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { StackInfo } from "../local/mod.ts";
import { GRAPH_APP, GRAPH_PAGE } from "../testing/graph/app.ts";
import type { GraphDouble } from "../testing/graph/double.ts";
import type { Vendor } from "./cast.ts";
import type { Applicant } from "./plan.ts";

/** What the service has responded to a delivery. */
export interface Posted {
  status: number;
  /** Its `id`, `status` and `request_id`, or the error. */
  body: Record<string, unknown>;
}

const FORM = "330000000000002";

/** Posts as the vendors do, each with its key, its signature or its notice. */
export class VendorClient {
  /** @param keys the key or the secret of each vendor, by its slug */
  constructor(readonly stack: StackInfo, readonly graph: GraphDouble, readonly keys: Map<string, string>) {}

  /** Sends the application of a person in the vendor's own shape. */
  post(applicant: Applicant): Promise<Posted> {
    return this.send(applicant.vendor, payloadOf(applicant, this.graph));
  }

  /** Sends any payload as the vendor. */
  async send({ kind, slug }: Vendor, payload: unknown): Promise<Posted> {
    const body = typeof payload === "string" ? payload : JSON.stringify(payload);
    const key = this.keys.get(slug)!;
    const path = kind === "key" ? "/recruiting/ingest" : `/recruiting/webhooks/${slug}`;
    const response = await fetch(this.stack.functions_url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...proofOf(kind, key, body) },
      body,
    });
    return { status: response.status, body: await response.json() };
  }
}

function proofOf(kind: Vendor["kind"], key: string, body: string): Record<string, string> {
  switch (kind) {
    case "key":
      return { authorization: `Bearer ${key}` };
    case "indeed":
      return { "x-indeed-signature": createHmac("sha1", key).update(body).digest("base64") };
    case "meta":
      return { "x-hub-signature-256": `sha256=${createHmac("sha256", GRAPH_APP.secret).update(body).digest("hex")}` };
    case "standard": {
      const [id, now] = [crypto.randomUUID(), new Date()];
      return {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
        "webhook-signature": new Webhook(key).sign(id, now, body),
      };
    }
  }
}

function payloadOf({ vendor, id, first, last, phone, email, state }: Applicant, graph: GraphDouble): object {
  switch (vendor.parser) {
    case "ziprecruiter":
      return {
        ...{
          response_id: id,
          job_id: "agent-7",
          name: `${first} ${last}`,
          first_name: first,
          last_name: last,
          email,
          phone,
        },
        answers: [{ id: "licensed", question: "Are you licensed?", answer: id.endsWith("3") ? "yes" : "no" }],
        profile: { state },
      };
    case "indeed":
      return {
        id,
        applicant: { fullName: `${first} ${last}`, firstName: first, lastName: last, email, phoneNumber: phone },
        job: {
          jobId: `agent-${state.toLowerCase()}`,
          jobTitle: "Life Insurance Agent",
          jobLocation: `Anywhere, ${state}`,
        },
      };
    case "meta": {
      const created_time = new Date().toISOString().replace(/\.\d+Z/, "+0000");
      const values = { first_name: first, last_name: last, email, phone_number: phone, state };
      const field_data = Object.entries(values).map(([name, value]) => ({ name, values: [value] }));
      graph.addLead({ id, form_id: FORM, created_time, field_data });
      const value = { leadgen_id: id, page_id: GRAPH_PAGE.id, form_id: FORM };
      return { object: "page", entry: [{ id: GRAPH_PAGE.id, changes: [{ field: "leadgen", value }] }] };
    }
    case "mapping":
      return { badge: id, visitor: { name: `${first} ${last}`, email, phone, state } };
    default:
      return { vendor_lead_id: id, first_name: first, last_name: last, email, phone, state };
  }
}

/** What the career fairs send since they have changed their form: the mapping does not find the name any more. */
export function newForm({ id, first, last, phone, state }: Applicant): object {
  return { badge: id, guest: { given_name: first, family_name: last, mobile: phone, home_state: state } };
}
