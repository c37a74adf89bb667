/** Operators try an edited mapping on a payload, and save it. */
import assert from "node:assert/strict";
import { signInNewOperator, type User } from "../support/agents.ts";
import {
  type ApiResponse,
  assertError,
  assertResponse,
  createVendor,
  send,
  sql,
  storedLeads,
  withKey,
} from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { actionsOf, operator, post } from "../support/operator.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

const PREVIEW = "/mappings/preview";
const SAVE = "/mappings";
const MAPPING = { fields: { first_name: "name", phone: ["mobile", "home"], source: { const: "fair" } } };

/** Says that a delivery's payload is read, as the desk does when it is opened. */
async function open(delivery_id: unknown, by: User = operator): Promise<string> {
  const given = { action: "mapping try", subject: { delivery_id } };
  const { data, error } = await by.client.rpc("begin_operator_action", given);
  assert.equal(error, null);
  return data;
}

function preview(action_id: string, mapping: unknown, by: { token: string } = operator): Promise<ApiResponse> {
  const parser_config = typeof mapping === "string" ? mapping : JSON.stringify(mapping);
  return post(PREVIEW, { action_id, parser_config }, by);
}

async function mappingOf(vendor_id: string) {
  const [row] = await sql`
    select parser_config::jsonb, version from public.mapping_list where vendor_id = ${vendor_id}`;
  return row!;
}

Deno.test("a delivery is read by the edited mapping, again and again, and its one opening is noted", async () => {
  const by = await signInNewOperator();
  const vendor = await createVendor("mapping", { fields: { first_name: "nobody" } });
  await send("/recruiting/ingest", {
    headers: { ...withKey(vendor), "content-type": "application/json" },
    body: '{"name": "Ada", "home": "(312) 555-0142", "ref": 12345678901234567890}',
  });
  const [kept] = await sql`select id from public.rejected_deliveries where vendor_id = ${vendor.id}`;
  const before = await mappingOf(vendor.id);
  const action_id = await open(kept!.id, by);

  const read = assertResponse(await preview(action_id, MAPPING, by), 200);
  assert.deepEqual(read, {
    status: "read",
    lead: {
      first_name: "Ada",
      vendor_lead_id: null,
      vendor_metadata: {
        phone: "+13125550142",
        phone_raw: "(312) 555-0142",
        source: "fair",
        vendor_fields: { ref: "12345678901234567890" },
      },
    },
    found: [
      { field: "first_name", path: "name", value: "Ada" },
      { field: "phone", path: "mobile || home", value: "(312) 555-0142" },
      { field: "source", path: '{"const":"fair"}', value: "fair" },
    ],
  });
  const nameless = assertResponse(await preview(action_id, { fields: { first_name: "nom" } }, by), 200);
  assert.deepEqual(nameless, {
    status: "refused",
    reason: MISSING_FIRST_NAME,
    found: [{ field: "first_name", path: "nom", value: null }],
  });
  const ping = { fields: { first_name: "name" }, ignore_when: "name == 'Ada'" };
  assert.equal(assertResponse(await preview(action_id, ping, by), 200).status, "refused");

  assert.deepEqual(await actionsOf(by), [["mapping try", { delivery_id: kept!.id }]]);
  assert.deepEqual(await mappingOf(vendor.id), before, "nothing is saved");
  assert.equal((await storedLeads(vendor)).length, 0);
});

Deno.test("a part of a webhook's body is read as the webhook reads it, as long as it is kept", async () => {
  const vendor = await createVendor("mapping");
  const [id] = await reject({
    vendor_id: vendor.id,
    route: `/recruiting/webhooks/${vendor.slug}`,
    row: 1,
    payload: { name: "Ada" },
  });
  const action_id = await open(id);
  // What is to be ignored is about the whole body.
  const { status, lead } = assertResponse(
    await preview(action_id, { fields: { first_name: "name" }, ignore_when: "name" }),
    200,
  );
  assert.deepEqual([status, lead.first_name], ["read", "Ada"]);

  await sql`delete from public.rejected_deliveries where id = ${id!}`;
  assertError(await preview(action_id, MAPPING), 404, "NOT_FOUND", /^action_id: its payload is not kept$/);
});

const HOSTILE: [string, RegExp, field?: string][] = [
  ['{\n  "fields": x}', /^parser_config: the mapping is not valid JSON at line 2, column 13$/],
  [
    '{"fields": {"first_name": "a["}}',
    /^parser_config\.fields\.first_name: cannot read `a\[`/,
    "parser_config.fields.first_name",
  ],
  [`"${"x".repeat(70_000)}"`, /^parser_config must have at most 65,536 characters$/],
];

Deno.test("a mapping that cannot be read is refused, and its field is named, when it is tried and when it is saved", async () => {
  const vendor = await createVendor("mapping", MAPPING);
  const { version } = await mappingOf(vendor.id);
  const [id] = await reject({ vendor_id: vendor.id, payload: { name: "Ada" } });
  const by = await signInNewOperator();
  const action_id = await open(id, by);
  for (const [parser_config, reason, field = "parser_config"] of HOSTILE) {
    for (
      const response of [
        await post(PREVIEW, { action_id, parser_config }, by),
        await post(SAVE, { vendor_id: vendor.id, parser_config, seen: version }, by),
      ]
    ) {
      assertError(response, 400, "BAD_REQUEST", reason);
      assert.equal(response.body.error.details[0].field, field, parser_config.slice(0, 80));
    }
  }
  assert.deepEqual((await mappingOf(vendor.id)).parser_config, MAPPING);
  assert.deepEqual((await actionsOf(by)).length, 1, "nothing of it is an action");
});

Deno.test("a mapping is saved, works at the next lead, and who saved it is kept", async () => {
  const by = await signInNewOperator();
  const vendor = await createVendor("mapping", { fields: { first_name: "nobody" } });
  const { version } = await mappingOf(vendor.id);
  const request = { vendor_id: vendor.id, parser_config: JSON.stringify(MAPPING), seen: version };
  const saved = assertResponse(await post(SAVE, request, by), 200);
  const now = await mappingOf(vendor.id);
  assert.deepEqual(now, { parser_config: MAPPING, version: saved.version });
  assert.deepEqual(await actionsOf(by), [["mapping save", { vendor_id: vendor.id }]]);
  const stored = await send("/recruiting/ingest", { headers: withKey(vendor), body: { name: "Ada" } });
  assert.equal(stored.status, 201);
  // The response may have been lost.
  assert.deepEqual(assertResponse(await post(SAVE, request, by), 200), saved);
});

Deno.test("a dry run reads deliveries by a mapping that is not saved, and a replay does not", async () => {
  const vendor = await createVendor("mapping", { fields: { first_name: "nobody" } });
  const other = await createVendor();
  const [named, nameless, generic] = await reject(
    { vendor_id: vendor.id, payload: { name: "Ada" } },
    { vendor_id: vendor.id, payload: { nom: "Ben" } },
    { vendor_id: other.id, payload: { first_name: "Cy" } },
  );
  const before = await mappingOf(vendor.id);
  const replay = (dry_run: boolean, mapping?: unknown) =>
    post("/deliveries/replay", {
      delivery_ids: [named, nameless, generic],
      dry_run,
      parser_config: mapping === undefined ? undefined : JSON.stringify(mapping),
    }, operator);

  const { results } = assertResponse(await replay(true, MAPPING), 200);
  assert.deepEqual(results.map(({ status }: { status: string }) => status), ["created", "refused", "created"]);
  assert.deepEqual(
    assertResponse(await replay(true), 200).results.map(({ status }: { status: string }) => status),
    ["refused", "refused", "created"],
  );
  assertError(await replay(false, MAPPING), 400, "BAD_REQUEST", /parser_config.*is for a dry run alone/);
  assertError(await replay(true, { fields: { phone: "a" } }), 400, "BAD_REQUEST", /fields: /);
  assert.deepEqual(await mappingOf(vendor.id), before);
  assert.equal((await storedLeads(vendor)).length + (await storedLeads(other)).length, 0);
});
