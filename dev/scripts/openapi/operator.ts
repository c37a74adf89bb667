/** The routes below /operator. */
import type { ErrorCode } from "../../../supabase/functions/_shared/errors.ts";
import { checkResult } from "../../../supabase/functions/operator/check.ts";
import {
  deliveriesQuery,
  deliveriesResult,
  payloadRequest,
  payloadResult,
  reasonsResult,
} from "../../../supabase/functions/operator/deliveries.ts";
import { handOutRequest, handOutResult } from "../../../supabase/functions/operator/hand_out.ts";
import { replayRequest, replayResult } from "../../../supabase/functions/operator/replay.ts";
import { unmatchedQuery, unmatchedResult } from "../../../supabase/functions/operator/texts.ts";
import { daysQuery, daysResult } from "../../../supabase/functions/operator/vendor_days.ts";
import { waitingQuery, waitingResult } from "../../../supabase/functions/operator/waiting_leads.ts";
import type { Operation } from "./operation.ts";

/** The rejected delivery of the examples. */
export const DELIVERY = "0a4be0a6-7b37-4b68-9a0c-3a6d6e1a5d0c";
const LEAD = "5f0c6a3e-2f0b-4b3a-8a52-9f0f3c1f4a11";
const VENDOR = "d0000001-0000-4000-8000-000000000001";
const ORDER = "e0000001-0000-4000-8000-000000000001";
const RECEIVED = "2026-11-22T09:30:00.123456+00:00";

const AFTER = {
  description: "`next` of the page before; without it the first page.",
  schema: waitingQuery.shape.after,
};

const USER_ERRORS: ErrorCode[] = ["UNAUTHORIZED", "FORBIDDEN", "INTERNAL_ERROR"];
const QUERY_ERRORS: ErrorCode[] = ["BAD_REQUEST", ...USER_ERRORS];
const BODY_ERRORS: ErrorCode[] = [
  ...QUERY_ERRORS,
  "REQUEST_TIMEOUT",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
];

const rejection = { vendor: "generic", vendor_id: VENDOR, code: "BAD_REQUEST", reason: "missing first_name" };

type Read = Pick<Operation, "id" | "summary" | "query" | "responses">;

function read(path: string, operation: Read): Operation {
  const errors = operation.query === undefined ? USER_ERRORS : QUERY_ERRORS;
  return { method: "get", path: `/operator${path}`, security: ["userToken"], errors, ...operation };
}

export const operations: Operation[] = [
  read("/check", {
    id: "check",
    summary: "Operator: what is wrong now",
    responses: {
      200: {
        description: "What is wrong, as `npm run admin -- check` says it",
        schema: checkResult,
        examples: {
          finding: ["Something is wrong", {
            findings: [{
              kind: "vendor",
              name: "generic",
              problem: "12 of its deliveries were rejected and are open",
              command: "delivery list --vendor generic",
            }],
            more: 0,
          }],
          well: ["All is well", { findings: [], more: 0 }],
        },
      },
    },
  }),
  read("/deliveries/reasons", {
    id: "listRejectedReasons",
    summary: "Operator: why open deliveries were rejected",
    responses: {
      200: {
        description: "The reasons, the most frequent first",
        schema: reasonsResult,
        examples: {
          reasons: ["One reason", {
            reasons: [{ ...rejection, deliveries: 12, first_at: RECEIVED, last_at: RECEIVED }],
            more: 0,
          }],
        },
      },
    },
  }),
  read("/deliveries", {
    id: "listOpenDeliveries",
    summary: "Operator: the open rejected deliveries, without what was sent",
    query: {
      vendor_id: {
        description: "Only of this vendor; `import`: only imports of sales leads.",
        schema: deliveriesQuery.shape.vendor_id,
      },
      code: { description: "Only with this error code.", schema: deliveriesQuery.shape.code },
      reason: { description: "Only with exactly this reason.", schema: deliveriesQuery.shape.reason },
      after: AFTER,
    },
    responses: {
      200: {
        description: "A page of 50, the newest first",
        schema: deliveriesResult,
        examples: {
          page: ["A page, after which another comes", {
            deliveries: [{
              id: DELIVERY,
              received_at: RECEIVED,
              ...rejection,
              route: "/recruiting/ingest",
              row: null,
              vendor_lead_id: "app-1001",
              status: "open",
              lead_id: null,
              resolved_at: null,
              request_id: "req-1",
              payload_bytes: 310,
            }],
            next: `2026-11-22T09:30:00.123456Z,${DELIVERY}`,
          }],
          none: ["The last page", { deliveries: [], next: null }],
        },
      },
    },
  }),
  {
    method: "post",
    path: "/operator/deliveries/payload",
    id: "readRejectedPayload",
    summary: "Operator: what was sent with a rejected delivery",
    description: "Who read it is kept, before it is read.",
    security: ["userToken"],
    body: {
      types: ["application/json"],
      schema: payloadRequest,
      examples: { one: ["One delivery", { delivery_id: DELIVERY }] },
    },
    responses: {
      200: {
        description: "What was sent",
        schema: payloadResult,
        examples: {
          json: ["It was JSON", { delivery_id: DELIVERY, payload: { last_name: "Lovelace" }, payload_text: null }],
          text: ["It was no JSON", { delivery_id: DELIVERY, payload: null, payload_text: "<lead>" }],
        },
      },
    },
    errors: [...BODY_ERRORS, "NOT_FOUND"],
  },
  {
    method: "post",
    path: "/operator/deliveries/replay",
    id: "replayDeliveries",
    summary: "Operator: store the leads of rejected deliveries, or say what would become of them",
    description: "A lead is stored once, however often and by however many it is replayed. One that is refused does " +
      "not stop the others.",
    security: ["userToken"],
    body: {
      types: ["application/json"],
      schema: replayRequest,
      examples: { dry_run: ["Try one", { delivery_ids: [DELIVERY], dry_run: true }] },
    },
    responses: {
      200: {
        description: "What became of each, in the request's order",
        schema: replayResult,
        examples: {
          replayed: ["One was stored, one cannot be", {
            dry_run: false,
            results: [
              { delivery_id: DELIVERY, status: "created", lead_id: DELIVERY, distributed_to: null },
              { delivery_id: LEAD, status: "refused", reason: "missing first_name" },
            ],
          }],
          dry_run: ["A dry run", {
            dry_run: true,
            results: [{
              delivery_id: DELIVERY,
              status: "duplicate",
              lead_id: LEAD,
              lead: { first_name: "Ada", vendor_lead_id: "app-1001", vendor_metadata: { state: "TX" } },
            }],
          }],
        },
      },
    },
    errors: BODY_ERRORS,
  },
  read("/leads/waiting", {
    id: "listWaitingLeads",
    summary: "Operator: the recruiting leads that no order has got",
    query: { after: AFTER },
    responses: {
      200: {
        description: "A page of 50, the oldest first",
        schema: waitingResult,
        examples: {
          page: ["One lead waits", {
            leads: [{
              id: LEAD,
              vendor_id: VENDOR,
              vendor: "generic",
              vendor_lead_id: "app-1001",
              name: "Ada Lovelace",
              state: "TX",
              distribution: "unmatched",
              received: RECEIVED,
            }],
            waiting: 1,
            next: null,
          }],
        },
      },
    },
  }),
  {
    method: "post",
    path: "/operator/leads/hand-out",
    id: "handOutLeads",
    summary: "Operator: hand out leads that wait, the oldest first",
    security: ["userToken"],
    body: {
      types: ["application/json"],
      schema: handOutRequest,
      examples: { some: ["At most 100 of one vendor", { max: 100, vendor_id: VENDOR }] },
    },
    responses: {
      200: {
        description: "The leads that an order got, and how many still wait",
        schema: handOutResult,
        examples: {
          one: ["One was handed out", {
            handed_out: [{
              id: LEAD,
              vendor: "generic",
              name: "Ada Lovelace",
              state: "TX",
              agency: "Lakeshore Insurance",
              agent: "Maria Alvarez",
              order_id: ORDER,
            }],
            waiting: 0,
          }],
        },
      },
    },
    errors: [...BODY_ERRORS, "CONFLICT"],
  },
  read("/texts/unmatched", {
    id: "listUnmatchedTexts",
    summary: "Operator: texts that belong to no conversation yet",
    query: { after: { ...AFTER, schema: unmatchedQuery.shape.after } },
    responses: {
      200: {
        description: "A page of 50, the newest first",
        schema: unmatchedResult,
        examples: {
          page: ["One text", {
            texts: [{
              id: LEAD,
              received_at: RECEIVED,
              from: "+13125550121",
              to: "+13125550100",
              body: "Is the job still open?",
              media: 0,
              message_sid: "SM00000000000000000000000000000002",
            }],
            next: null,
          }],
        },
      },
    },
  }),
  read("/vendors/days", {
    id: "countVendorDays",
    summary: "Operator: how many leads each vendor has brought on each day",
    query: {
      days: { description: "How many days up to today, 1 to 90; 14 unless given.", schema: daysQuery.shape.days },
      timezone: {
        description: "The IANA name of the time zone in which days begin; UTC unless given.",
        schema: daysQuery.shape.timezone,
      },
    },
    responses: {
      200: {
        description: "The vendors of which something came, the one with the most leads first",
        schema: daysResult,
        examples: {
          two: ["Two days", {
            days: ["2026-11-21", "2026-11-22"],
            vendors: [{ vendor: "generic", leads: [3, 5], refused: [0, 1] }],
          }],
        },
      },
    },
  }),
];
