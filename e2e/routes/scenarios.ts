/** The tables of docs/specification.md, row by row, as requests with their responses and what is in the database afterwards. */
import assert from "node:assert/strict";
import * as applications from "../support/applications.ts";
import {
  type ApiResponse,
  send,
  sql,
  storedLeads,
  storedResumes,
  withKey,
  withoutOpenOrders,
} from "../support/client.ts";
import { lead, logActivity, sendImport } from "../support/leads.ts";
import { newSid, sendSigned } from "../support/sms.ts";
import type { World } from "../support/world.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

/** One row of a table of docs/specification.md. */
export interface Scenario {
  /** Section and row of docs/specification.md. */
  spec: string;
  send: (world: World) => Promise<ApiResponse>;
  status: number;
  /** Fields that the body must have. */
  body: object;
  /** Checks what is in the database afterwards. */
  then?: (world: World, response: ApiResponse) => Promise<void> | void;
}

const INGEST = "/recruiting/ingest";
const BULK = "/recruiting/ingest/bulk";
const IMPORT = "/api/leads/import";
const INBOUND = "/recruiting/sms/inbound";
const STATUS = "/recruiting/sms/status";

type Phone = keyof World["phones"];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const ingest = (body: object) => ({ vendor }: World) => applications.ingest(vendor, body);
const ingestBulk = (body: object) => ({ vendor }: World) => applications.ingestBulk(vendor, body);

/** A request that gets an error. */
function refused(what: string, status: number, code: string, send: Scenario["send"]): Scenario {
  return { spec: `${what} is ${code}`, send, status, body: { error: { code } } };
}
const unauthorized = (what: string, send: Scenario["send"]) => refused(what, 401, "UNAUTHORIZED", send);
const badRequest = (what: string, send: Scenario["send"]) => refused(what, 400, "BAD_REQUEST", send);

const importLeads = (...leads: unknown[]) => ({ agency_id, agent_id }: World) =>
  sendImport({ agency_id, agent_id, leads });
const oneFailed = { success: true, imported: 0, failed: 1 };

const log = (type: unknown) => ({ lead_id, agent_id }: World) => logActivity({ lead_id, agent_id, type });

const inbound = (from: Phone, to: Phone = "service") => ({ phones }: World) => {
  const numbers = { From: phones[from], To: phones[to] };
  return sendSigned(INBOUND, { ...numbers, Body: "Hi there", MessageSid: newSid() });
};

const TYPES = ["fwk", "csk", "br", "union", "ncr", "pos", "dcard", "fe", "globe"];
const ACTIVITIES = ["presentation_started", "presentation_resumed", "presentation_paused"];
const STORED_STATUS: Record<string, string> = {
  queued: "queued",
  sent: "sent",
  delivered: "delivered",
  undelivered: "failed",
  failed: "failed",
};

async function assertStatus(sid: string, status: string): Promise<void> {
  const [message] = await sql`
    select status from public.recruiting_messages where provider_message_id = ${sid}`;
  assert.equal(message!.status, status);
}

const OTHER_STATUSES = ["sending", "nonsense", ""];

/** The scenarios run in this order, in one world: a later one may use what an earlier one has stored. */
export const SCENARIOS: Scenario[] = [
  {
    spec: "2.1, 4.1: id, first_name, vendor_id, vendor_lead_id, vendor_metadata and resume of a new lead",
    send: ingest({
      vendor_lead_id: "spec-1",
      first_name: "Ada",
      city: "Chicago",
      resume: applications.PDF_BASE64,
    }),
    status: 201,
    body: { status: "created" },
    async then({ vendor, agency_id, agent_id }, { body }) {
      assert.match(body.id, UUID);
      assert.deepEqual(body.distributed_to, { agency_id, agent_id });
      const [stored] = await storedLeads(vendor);
      assert.partialDeepStrictEqual(stored, {
        id: body.id,
        first_name: "Ada",
        vendor_id: vendor.id,
        vendor_lead_id: "spec-1",
      });
      assert.equal(stored!.vendor_metadata.city, "Chicago");
      assert.deepEqual(await storedResumes(vendor), [stored!.resume_path]);
    },
  },
  {
    spec: "4.1 processing 2: the same vendor_id and vendor_lead_id again is a duplicate",
    send: ingest({ vendor_lead_id: "spec-1", first_name: "Ada" }),
    status: 200,
    body: { status: "duplicate" },
    async then({ vendor }, { body }) {
      const stored = await storedLeads(vendor);
      assert.deepEqual(stored.map(({ id }) => id), [body.id]);
    },
  },
  {
    spec: "4.1 processing 3: distributed_to is null when no open order matches",
    async send(world) {
      await sql`update public.recruiting_orders set status = 'closed' where vendor_id = ${world.vendor.id}`;
      const lead = { vendor_lead_id: "spec-2", first_name: "Ben" };
      return await withoutOpenOrders(() => ingest(lead)(world));
    },
    status: 201,
    body: { status: "created", distributed_to: null },
  },
  {
    spec: "4.2: created, duplicates and errors with row and reason",
    send: ingestBulk({
      leads: [
        { first_name: "A", vendor_lead_id: "spec-1" },
        { last_name: "B" },
        { first_name: "C" },
      ],
    }),
    status: 200,
    body: { created: 1, duplicates: 1, errors: [{ row: 1, reason: MISSING_FIRST_NAME }] },
  },
  {
    spec: "2.2, 4.3: a lead of each type is imported with the fields set on every lead",
    send: importLeads(...TYPES.map((type) => lead({ type }))),
    status: 200,
    body: { success: true, imported: TYPES.length, failed: 0, errors: [] },
    async then({ agency_id, agent_id }, { body }) {
      const stored = await sql`
        select l.*, m.lead_id as has_metrics from public.leads l
        left join public.lead_metrics m on m.lead_id = l.id where l.id = any (${body.lead_ids})`;
      assert.deepEqual(stored.map(({ type }) => type).sort(), TYPES.toSorted());
      const fixed = { source: "platform", status: "open", stage: "new" };
      for (const row of stored) {
        assert.partialDeepStrictEqual(row, { ...fixed, agency_id, agent_id });
        assert.match(row.external_id, UUID);
        assert.equal(row.has_metrics, row.id, "the lead_metrics row that the trigger makes");
      }
    },
  },
  ...["external_id", "first_name", "phone", "state", "type"].map((field): Scenario => ({
    spec: `4.3 validation: a lead without ${field} fails and does not block the others`,
    send: importLeads(lead({ [field]: undefined }), lead()),
    status: 200,
    body: { success: true, imported: 1, failed: 1 },
    then(_world, { body: { errors: [error] } }) {
      assert.deepEqual([error.index, error.code], [0, "INVALID"]);
      assert.match(error.reason, new RegExp(field));
    },
  })),
  {
    spec: "4.3 validation: a lead of another type fails",
    send: importLeads(lead({ type: "auto" })),
    status: 200,
    body: oneFailed,
  },
  ...ACTIVITIES.map((type): Scenario => ({
    spec: `2.3, 4.4: ${type} is logged and counted`,
    send: log(type),
    status: 200,
    body: { success: true },
    async then({ lead_id, agent_id }) {
      const logged = await sql`
        select lead_id, agent_id from public.lead_activities where lead_id = ${lead_id} and type = ${type}`;
      assert.deepEqual(logged.map((row) => ({ ...row })), [{ lead_id, agent_id }]);
      const [metrics] = await sql`select * from public.lead_metrics where lead_id = ${lead_id}`;
      assert.equal(metrics![type.replace("presentation_", "presentations_")], 1);
    },
  })),
  ...(["bot", "escalated"] as const).map((status): Scenario => ({
    spec: `3, 4.5: a message in a conversation that is ${status} is stored and leaves the status unchanged`,
    send: inbound(status),
    status: 200,
    body: { status: "received" },
    async then({ phones }) {
      const messages = await sql`
        select m.direction, m.sender_type, m.body, c.status
        from public.recruiting_messages m join public.recruiting_conversations c on c.id = m.conversation_id
        where c.recruit_phone = ${phones[status]} and m.direction = 'inbound'`;
      assert.deepEqual(messages.map((row) => ({ ...row })), [
        { direction: "inbound", sender_type: "recruit", body: "Hi there", status },
      ]);
    },
  })),
  {
    spec: "4.5 behaviour 2: no conversation for From and To",
    send: inbound("service", "bot"),
    status: 200,
    body: { status: "no_conversation" },
  },
  ...Object.entries(STORED_STATUS).map(([MessageStatus, stored]): Scenario => ({
    spec: `3, 4.6: MessageStatus ${MessageStatus} is stored as ${stored}`,
    send: ({ sent }) => sendSigned(STATUS, { MessageSid: sent, MessageStatus }),
    status: 200,
    body: { status: "updated" },
    then: ({ sent }) => assertStatus(sent, stored),
  })),
  ...OTHER_STATUSES.map((MessageStatus): Scenario => ({
    spec: `3, 4.6: MessageStatus "${MessageStatus}" leaves the message unchanged`,
    send: ({ sent }) => sendSigned(STATUS, { MessageSid: sent, MessageStatus }),
    status: 200,
    body: { status: "ignored" },
    then: ({ sent }) => assertStatus(sent, "failed"),
  })),
  ...[INGEST, BULK].flatMap((path) => [
    unauthorized(`5, 7: ${path} without a key`, () => send(path, { body: {} })),
    unauthorized(
      `5, 7: ${path} with an invalid key`,
      () => send(path, { headers: { authorization: "Bearer nobody" }, body: {} }),
    ),
    badRequest(
      `7: ${path} for a vendor without a parser`,
      ({ vendorWithoutParser }) => send(path, { headers: withKey(vendorWithoutParser), body: {} }),
    ),
  ]),
  badRequest("7: first_name missing from the parsed payload", ingest({ last_name: "B" })),
  ...[{}, { leads: [] }].map((body) =>
    badRequest(`7: leads missing or empty, as in ${JSON.stringify(body)},`, ingestBulk(body))
  ),
  ...Object.entries({
    "insert": ingest({ first_name: "A" }),
    "batch insert": ingestBulk({ leads: [{ first_name: "A" }] }),
  }).map(([what, send]) =>
    refused(`7: the ${what} failing`, 500, "INTERNAL_ERROR", async (world) => {
      await sql`revoke insert on public.recruiting_leads from service_role`;
      try {
        return await send(world);
      } finally {
        await sql`grant insert on public.recruiting_leads to service_role`;
      }
    })
  ),
  ...[undefined, "wrong"].map((key) =>
    unauthorized(
      `5: ${IMPORT} with x-api-key ${key ?? "missing"}`,
      () => send(IMPORT, { headers: key ? { "x-api-key": key } : {}, body: {} }),
    )
  ),
  ...[INBOUND, STATUS].flatMap((path) =>
    [undefined, "bm90IGEgc2lnbmF0dXJl"].map((signature) =>
      unauthorized(
        `5, 7: ${path} with signature ${signature ?? "missing"}`,
        ({ sent }) =>
          send(path, {
            headers: signature ? { "x-twilio-signature": signature } : {},
            body: new URLSearchParams({ MessageSid: sent, MessageStatus: "sent" }),
          }),
      )
    )
  ),
];
