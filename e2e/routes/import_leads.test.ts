import assert from "node:assert/strict";
import { assertError, assertResponse, send, sql, stack } from "../support/client.ts";
import { createTarget, importLeads, lead, sendImport, storedLeads } from "../support/leads.ts";
import { leadSchema } from "../../supabase/functions/api/imported_lead.ts";

Deno.test("SPEC 2.2, 4.3: a whole lead is stored as sent, with the fields set on every lead", async () => {
  const target = await createTarget();
  const distribution_id = crypto.randomUUID();
  // Each field, so also a new one, is a column of the same name.
  const texts = Object.fromEntries(Object.keys(leadSchema.shape).map((field) => [field, `The ${field}, as sent`]));
  const sent: Record<string, unknown> = { ...texts, ...lead() };
  const ignored = { ssn: "000-00-0000", source: "manual", status: "closed", id: distribution_id };
  const { lead_ids, ...counts } = assertResponse(
    await importLeads({ ...target, distribution_id, source: "manual" }, [{ ...sent, ...ignored }]),
    200,
  );
  assert.deepEqual(counts, { success: true, imported: 1, failed: 0, errors: [] });
  const { id, created_at: _, updated_at: __, ...stored } = (await storedLeads(target))
    .get(sent.external_id as string)!;
  assert.deepEqual([id], lead_ids);
  assert.notEqual(id, ignored.id);
  assert.deepEqual(stored, {
    ...sent,
    ...target,
    distribution_id,
    phone_e164: "+13125550100",
    source: "platform",
    status: "open",
    stage: "new",
  });
});

Deno.test("SPEC 4.3: an item that is not an object, or whose external_id is not a UUID, is an entry in errors", async () => {
  const target = await createTarget();
  const notUuid = ["20000000-0000-4000-8000-00000000000g", "20000000000040008000000000000001"];
  const ids = ["abc", 12345, ...notUuid];
  const noObjects = [null, 1, "lead", true, []];
  const leads = ids.map((external_id) => lead({ external_id }));
  const { body } = await importLeads(target, [...noObjects, ...leads]);
  assert.equal(body.imported, 0);
  assert.deepEqual(
    body.errors.map((e: Record<string, unknown>) => [e.index, e.external_id, e.code]),
    [...noObjects.map(() => null), ...ids].map((id, index) => [index, id, "INVALID"]),
  );
});

Deno.test("U+0000 is dropped and a lone surrogate replaced; an emoji and a phone that is not a number stay", async () => {
  const target = await createTarget();
  const phone = "x".repeat(5_000);
  const sent = lead({ first_name: "A\0nn\ud800", city: "\0", address: "🙂", phone, "key\0": 1 });
  const { body } = await importLeads(target, [sent, lead({ first_name: "\0 " })]);
  assert.deepEqual([body.imported, body.failed], [1, 1]);
  const row = (await storedLeads(target)).get(sent.external_id as string)!;
  assert.deepEqual([row.first_name, row.city, row.address], ["Ann\ufffd", null, "🙂"]);
  assert.deepEqual([row.phone, row.phone_e164], [phone, null]);
});

Deno.test("SPEC 4.3: without any lead the response is a success with zeros", async () => {
  const response = await importLeads({ ...await createTarget(), distribution_id: null }, []);
  const nothing = { success: true, imported: 0, failed: 0, errors: [], lead_ids: [] };
  assertResponse(response, 200, nothing);
});

Deno.test("an import for a deactivated agent is BAD_REQUEST and stores nothing", async () => {
  const target = await createTarget();
  await sql`update public.agents set is_active = false where id = ${target.agent_id}`;
  const response = await importLeads(target, [lead()]);
  assertError(response, 400, "BAD_REQUEST", /^agent_id: the agent is deactivated$/);
  assert.equal((await storedLeads(target)).size, 0);
});

const TARGET = await createTarget();
const OTHER = await createTarget();

for (
  const [name, body, field] of [
    ["no agent_id", { ...TARGET, agent_id: undefined, leads: [] }, "agent_id"],
    ["an agent_id that is not a UUID", { ...TARGET, agent_id: "x", leads: [] }, "agent_id"],
    ["no agency_id", { ...TARGET, agency_id: null, leads: [] }, "agency_id"],
    ["a numeric distribution_id", { ...TARGET, distribution_id: 7, leads: [] }, "distribution_id"],
    ["no leads", { ...TARGET }, "leads"],
    ["leads that are not an array", { ...TARGET, leads: { 0: lead() } }, "leads"],
    ["an array for a body", [lead()], ""],
    ["null for a body", null, ""],
  ] as const
) {
  Deno.test(`${name} is BAD_REQUEST for the whole request`, async () => {
    const response = await sendImport(JSON.stringify(body));
    assertError(response, 400, "BAD_REQUEST", new RegExp(field || "the body"));
    const { details } = response.body.error;
    assert.deepEqual(details.map((detail: { field: string }) => detail.field), [field]);
  });
}

for (
  const [name, target, field] of [
    ["an unknown agency", { ...TARGET, agency_id: crypto.randomUUID() }, /agency_id/],
    ["an unknown agent", { ...TARGET, agent_id: crypto.randomUUID() }, /agent_id/],
    ["an agent of another agency", { ...TARGET, agent_id: OTHER.agent_id }, /agent_id/],
  ] as const
) {
  Deno.test(`${name} is BAD_REQUEST, with leads and without`, async () => {
    for (const leads of [[], [lead()], [null]]) {
      assertError(await importLeads(target, leads), 400, "BAD_REQUEST", field);
    }
    assert.equal((await storedLeads(TARGET)).size, 0);
  });
}

Deno.test("SPEC 5: without the right x-api-key the request is UNAUTHORIZED, before its body is looked at", async () => {
  const key = stack.leads_import_api_key;
  const assertUnauthorized = async (headers: Record<string, string>, body?: unknown) => {
    const response = await send("/api/leads/import", { headers, body });
    assertError(response, 401, "UNAUTHORIZED", /x-api-key/);
  };
  const wrong = ["", "x", key.slice(0, -1), `${key}x`].map((wrong) => ({ "x-api-key": wrong }));
  for (const headers of [{}, ...wrong]) {
    for (const body of [{ ...TARGET, leads: [lead()] }, "not JSON"]) {
      await assertUnauthorized(headers, body);
    }
  }
  await assertUnauthorized({ authorization: `Bearer ${key}` });
  assert.equal((await storedLeads(TARGET)).size, 0);
});
