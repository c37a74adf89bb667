import * as z from "zod";
import type { RequestContext } from "../_shared/app.ts";
import { serviceClient } from "../_shared/database.ts";
import { ApiError } from "../_shared/errors.ts";
import { BATCH_BOUNDS, type Json, parseJson } from "../_shared/json.ts";
import { readJson } from "../_shared/body/json.ts";
import { KIB } from "../_shared/units.ts";
import { count, id, must, requireValidBody, uuid } from "../_shared/validate.ts";
import { recordAction, requireOperator } from "./operator.ts";
import { after, first, more, next, readPage, requireAnswer, requireValidQuery, text, time } from "./pages.ts";

const BODY_LIMIT = 64 * KIB;

/** The payload as text, which keeps numbers exact that JavaScript cannot hold. */
const PAYLOAD = "payload_json:payload::text, payload_text";

const vendorId = id.nullable().describe("Null for an import of sales leads.");
const code = z.string().describe("The error code that the sender got.");
const reason = z.string().describe("What the sender was told.");

const vendor = z.string().describe("Its slug, or `import`.");

const reasonRow = z.strictObject({
  vendor,
  vendor_id: vendorId,
  code,
  reason,
  deliveries: count,
  first_at: time,
  last_at: time,
});

export const reasonsResult = z.strictObject({ reasons: z.array(reasonRow), more })
  .meta({ id: "RejectedReasons" });

/** GET /operator/deliveries/reasons: why open deliveries were rejected, the most frequent reason first. */
export async function listReasons({ request }: RequestContext): Promise<Response> {
  await requireOperator(request);

  const { rows: reasons, more } = await first(
    serviceClient().from("delivery_reason_list").select("*", { count: "exact" })
      .order("deliveries", { ascending: false }).order("vendor").order("code").order("reason"),
  );

  const result: z.infer<typeof reasonsResult> = { reasons: reasons as z.infer<typeof reasonRow>[], more };
  return Response.json(result);
}

/** What narrows the list of open deliveries. */
export const deliveriesQuery = z.object({
  vendor_id: z.string().refine((value) => value === "import" || uuid.safeParse(value).success, {
    error: must("be a UUID or import"),
  }).optional(),
  code: text.optional(),
  reason: text.optional(),
  after,
});

const deliveryRow = z.strictObject({
  id,
  received_at: time,
  vendor,
  vendor_id: vendorId,
  route: z.string(),
  row: count.nullable().describe("Its index in a batch; null: the whole request was rejected."),
  vendor_lead_id: z.string().nullable(),
  code,
  reason,
  status: z.literal("open"),
  lead_id: z.null(),
  resolved_at: z.null(),
  request_id: z.string(),
  payload_bytes: count,
});

export const deliveriesResult = z.strictObject({ deliveries: z.array(deliveryRow), next })
  .meta({ id: "OpenDeliveries" });

/** GET /operator/deliveries: the open rejected deliveries without their payloads, the newest first. */
export async function listDeliveries({ request }: RequestContext): Promise<Response> {
  await requireOperator(request);
  const { after, vendor_id, code, reason } = requireValidQuery(deliveriesQuery, request);

  const { rows: deliveries, next } = await readPage<z.infer<typeof deliveryRow>>({
    view: "delivery_list",
    time: "received_at",
    newestFirst: true,
    where: { status: "open", vendor_id: vendor_id === "import" ? null : vendor_id, code, reason },
  }, after);

  const result: z.infer<typeof deliveriesResult> = { deliveries, next };
  return Response.json(result);
}

export const payloadRequest = z.object({ delivery_id: uuid }, { error: must("be a JSON object") })
  .meta({ id: "PayloadRequest" });

export const payloadResult = z.strictObject({
  delivery_id: id,
  payload: z.unknown().describe(
    "What was sent, without its files. A number that JavaScript cannot hold exactly is a text.",
  ),
  payload_text: z.string().nullable().describe("The beginning of what was sent, where it is not in `payload`."),
}).meta({ id: "RejectedPayload" });

/** POST /operator/deliveries/payload: what was sent. That it was read is kept before it is read. */
export async function readPayload({ request, body: incoming }: RequestContext): Promise<Response> {
  await requireOperator(request);
  const { body } = await readJson(incoming, BODY_LIMIT);
  const { delivery_id } = requireValidBody(payloadRequest, body);
  await recordAction(request, "read_payload", { delivery_ids: [delivery_id] });

  const { data: [delivery] } = await requireAnswer(
    serviceClient().from("rejected_deliveries").select(PAYLOAD).eq("id", delivery_id),
  );

  if (delivery === undefined) throw new ApiError("NOT_FOUND", "delivery_id: no such delivery");
  const { payload_json, payload_text } = delivery as { payload_json: string | null; payload_text: string | null };
  const payload: Json = payload_json === null ? null : parseJson(payload_json, BATCH_BOUNDS);
  const result: z.infer<typeof payloadResult> = { delivery_id, payload, payload_text };
  return Response.json(result);
}
