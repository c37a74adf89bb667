import assert from "node:assert/strict";
import { assertError, assertResponse, send, sql, stack } from "./support/client.ts";
import { createTarget, importLeads, lead, sendImport, storedLeads } from "./support/leads.ts";

const TYPES = ["fwk", "csk", "br", "union", "ncr", "pos", "dcard", "fe", "globe"];

Deno.test("SPEC 2.2, 4.3: a whole lead is stored as sent, with the fields set on every lead", async () => {
  const target = await createTarget();
  const distribution_id = crypto.randomUUID();
  const sent = lead({
    last_name: "Nguyen",
    email: "Walter@Example.com",
    address: "12 Oak St, Apt 3",
    city: "Chicago",
    zip: "60614",
    language: "vi",
  });
  const { lead_ids, ...counts } = assertResponse(
    await importLeads({ ...target, distribution_id }, [sent]),
    200,
  );
  assert.deepEqual(counts, { success: true, imported: 1, failed: 0, errors: [] });
  const { id, created_at: _, updated_at: __, ...stored } = (await storedLeads(target))
    .get(sent.external_id as string)!;
  assert.deepEqual([id], lead_ids);
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

Deno.test("SPEC 2.2: each lead gets its lead_metrics row", async () => {
  const { body } = await importLeads(await createTarget(), [lead(), lead()]);
  const rows = await sql`
    select lead_id, presentations_started, sales from public.lead_metrics
    where lead_id in ${sql(body.lead_ids)}`;
  assert.deepEqual(new Set(rows.map(({ lead_id }) => lead_id)), new Set(body.lead_ids));
  for (const row of rows) assert.deepEqual([row.presentations_started, row.sales], [0, 0]);
});

Deno.test("SPEC 2.2: optional fields and distribution_id may be null, absent or blank", async () => {
  const target = await createTarget();
  const leads = [
    lead(),
    lead({ last_name: null, email: null, address: null, city: null, zip: null, language: null }),
    lead({ last_name: "", email: " ", address: "\t", city: "\n", zip: "\u00a0", language: "" }),
  ];
  const { body } = await importLeads({ ...target, distribution_id: null }, leads);
  assert.equal(body.imported, 3);
  for (const row of (await storedLeads(target)).values()) {
    const { last_name, email, address, city, zip, language, distribution_id } = row;
    assert.deepEqual(
      [last_name, email, address, city, zip, language, distribution_id],
      Array(7).fill(null),
    );
  }
});

Deno.test("fields are trimmed, numbers taken as text and unknown fields ignored", async () => {
  const target = await createTarget();
  const sent = lead({
    first_name: "  Mary Ann ",
    phone: 13125550100,
    zip: 60614,
    type: " fe ",
    ssn: "000-00-0000",
    source: "manual",
    status: "closed",
    id: crypto.randomUUID(),
  });
  const { body } = await importLeads({ ...target, source: "manual" }, [sent]);
  assert.equal(body.imported, 1);
  const row = (await storedLeads(target)).get(sent.external_id as string)!;
  assert.deepEqual(
    [row.first_name, row.phone, row.phone_e164, row.zip, row.type, row.source, row.status],
    ["Mary Ann", "13125550100", "+13125550100", "60614", "fe", "platform", "open"],
  );
  assert.notEqual(row.id, sent.id);
});

Deno.test("SPEC 4.3: each of the types is imported, any other is an entry in errors", async () => {
  const target = await createTarget();
  const wrong = ["", "FE", "fex", "life", 5, null, true, ["fe"], {}];
  const { body } = await importLeads(target, [...TYPES, ...wrong].map((type) => lead({ type })));
  assert.deepEqual([body.imported, body.failed], [TYPES.length, wrong.length]);
  const stored = [...(await storedLeads(target)).values()].map(({ type }) => type);
  assert.deepEqual(stored.sort(), TYPES.toSorted());
  for (const { code, reason } of body.errors) {
    assert.equal(code, "INVALID");
    assert.match(reason, /type/);
  }
});

for (const field of ["external_id", "first_name", "phone", "state", "type"]) {
  Deno.test(`SPEC 4.3: a lead without ${field} is an entry in errors and does not block the others`, async () => {
    const target = await createTarget();
    const wrong = [undefined, null, "", " \t", {}, ["x"], false];
    const leads = wrong.map((value) => lead({ [field]: value }));
    const body = assertResponse(await importLeads(target, [lead(), ...leads, lead()]), 200);
    const { success, imported, failed, errors } = body;
    assert.deepEqual([success, imported, failed], [true, 2, leads.length]);
    assert.equal((await storedLeads(target)).size, 2);
    for (const [i, error] of errors.entries()) {
      const given = leads[i]!.external_id;
      assert.deepEqual(error, {
        index: i + 1,
        external_id: typeof given === "string" ? given : null,
        code: "INVALID",
        reason: error.reason,
      });
      assert.match(error.reason, new RegExp(`^${field} `));
    }
  });
}

Deno.test("SPEC 4.3: an item that is no object, or whose external_id is no UUID, is an entry in errors", async () => {
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

Deno.test("a phone that cannot be read is stored without phone_e164", async () => {
  const target = await createTarget();
  const phones = ["call me", "123", "+1 5555551234", "+62 12345678901234", "x".repeat(5_000)];
  const { body } = await importLeads(target, phones.map((phone) => lead({ phone })));
  assert.equal(body.imported, phones.length);
  const rows = [...(await storedLeads(target)).values()];
  assert.deepEqual(
    phones.map((phone) => rows.find((row) => row.phone === phone)?.phone_e164),
    [null, null, "+15555551234", null, null],
  );
});

Deno.test("U+0000 is dropped and a lone surrogate replaced; an emoji stays", async () => {
  const target = await createTarget();
  const sent = lead({ first_name: "A\0nn\ud800", city: "\0", address: "🙂", "key\0": 1 });
  const { body } = await importLeads(target, [sent, lead({ first_name: "\0 " })]);
  assert.deepEqual([body.imported, body.failed], [1, 1]);
  const row = (await storedLeads(target)).get(sent.external_id as string)!;
  assert.deepEqual([row.first_name, row.city, row.address], ["Ann\ufffd", null, "🙂"]);
});

Deno.test("SPEC 4.3: without any lead the response is a success with zeros", async () => {
  const response = await importLeads(await createTarget(), []);
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
    ["an agent_id that is no UUID", { ...TARGET, agent_id: "x", leads: [] }, "agent_id"],
    ["no agency_id", { ...TARGET, agency_id: null, leads: [] }, "agency_id"],
    [
      "a distribution_id that is no UUID",
      { ...TARGET, distribution_id: 7, leads: [] },
      "distribution_id",
    ],
    ["no leads", { ...TARGET }, "leads"],
    ["leads that are no array", { ...TARGET, leads: { 0: lead() } }, "leads"],
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

Deno.test("what is not JSON is BAD_REQUEST", async () => {
  for (const body of ["", "{", "leads=1", `{"leads":[}`, "[".repeat(50_000)]) {
    assertError(await sendImport(body), 400, "BAD_REQUEST", /JSON/);
  }
});

Deno.test("SPEC 5: without the right x-api-key the request is UNAUTHORIZED, before its body is looked at", async () => {
  const key = stack.leads_import_api_key;
  const assertUnauthorized = async (headers: Record<string, string>, body?: unknown) => {
    const response = await send("/api/leads/import", { headers, body });
    assertError(response, 401, "UNAUTHORIZED", /x-api-key/);
  };
  const wrong = ["", "x", key.slice(0, -1), `${key}x`].map((wrong) => ({ "x-api-key": wrong }));
  for (const headers of [{}, ...wrong]) {
    for (const body of [{ ...TARGET, leads: [lead()] }, "not JSON", "x".repeat(11 * 1024 * 1024)]) {
      await assertUnauthorized(headers, body);
    }
  }
  await assertUnauthorized({ authorization: `Bearer ${key}` });
  assert.equal((await storedLeads(TARGET)).size, 0);
});

Deno.test("another method, media type or path is refused as such", async () => {
  const headers = { "x-api-key": stack.leads_import_api_key };
  const get = await send("/api/leads/import", { method: "GET", headers });
  assertError(get, 405, "METHOD_NOT_ALLOWED", /POST/);
  assert.equal(get.headers.get("allow"), "POST");
  const xml = await sendImport("<lead/>", { "content-type": "application/xml" });
  assertError(xml, 415, "UNSUPPORTED_MEDIA_TYPE", /json/);
  assertError(await send("/api/leads", { headers, body: {} }), 404, "NOT_FOUND", /path/);
});
