import assert from "node:assert/strict";
import { assertError, assertResponse, sql } from "../support/client.ts";
import { createTarget, importLeads, lead, sendImport, storedLeads } from "../support/leads.ts";
import { leadSchema } from "../../supabase/functions/api/imported_lead.ts";

/** An entry of `errors`. */
interface Failure {
  index: number;
  external_id: unknown;
  code: string;
  reason: string;
  lead_id?: string;
}

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

Deno.test("SPEC 4.3: an item that is not a lead is an entry in errors with its external_id as sent, and none is needed", async () => {
  const target = await createTarget();
  const items = [null, [], lead({ external_id: "abc" }), lead({ external_id: 12345 })];
  const { body } = await importLeads(target, items);
  assert.equal(body.imported, 0);
  assert.deepEqual(
    body.errors.map(({ index, external_id, code }: Failure) => [index, external_id, code]),
    [null, null, "abc", 12345].map((id, index) => [index, id, "INVALID"]),
  );
  const nothing = { success: true, imported: 0, failed: 0, errors: [], lead_ids: [] };
  assertResponse(await importLeads({ ...target, distribution_id: null }, []), 200, nothing);
});

Deno.test("an envelope that is wrong is BAD_REQUEST for the whole request, and its field is named", async () => {
  const target = await createTarget();
  for (
    const [body, field] of [
      [{ ...target, agent_id: undefined, leads: [] }, "agent_id"],
      [{ ...target, agency_id: "x", leads: [] }, "agency_id"],
      [{ ...target, distribution_id: 7, leads: [] }, "distribution_id"],
      [{ ...target }, "leads"],
      [{ ...target, leads: { 0: lead() } }, "leads"],
      [[lead()], ""],
    ] as const
  ) {
    const response = await sendImport(body);
    assertError(response, 400, "BAD_REQUEST", new RegExp(field || "the body"));
    assert.deepEqual(response.body.error.details.map((detail: { field: string }) => detail.field), [field]);
  }
  const unknown = await importLeads({ ...target, agent_id: crypto.randomUUID() }, [lead()]);
  assertError(unknown, 400, "BAD_REQUEST", /^agent_id: no such agent/);
  assert.equal((await storedLeads(target)).size, 0);
});

Deno.test("SPEC 4.3: of the leads with one external_id the first valid one is imported, and the others are DUPLICATE with its id", async () => {
  const target = await createTarget();
  const external_id = crypto.randomUUID();
  const { body } = await importLeads(target, [
    lead({ external_id, phone: "" }),
    lead({ external_id, first_name: "Imported" }),
    lead({ external_id: external_id.toUpperCase(), first_name: "Repeat" }),
    lead({ external_id, state: null }),
  ]);
  const lead_id = body.lead_ids[0];
  assert.deepEqual(
    body.errors.map(({ index, code, lead_id }: Failure) => [index, code, lead_id]),
    [[0, "INVALID", undefined], [2, "DUPLICATE", lead_id], [3, "INVALID", undefined]],
  );
  const { body: again } = await importLeads(target, [lead(), lead({ external_id, first_name: "Again" })]);
  const [{ reason: _, ...error }] = again.errors;
  assert.deepEqual([again.imported, error], [1, { index: 1, external_id, code: "DUPLICATE", lead_id }]);
  assert.equal((await storedLeads(target)).get(external_id)!.first_name, "Imported");
});

Deno.test("SPEC 4.3: of thousands of leads, each is reported in the request's order", async () => {
  const target = await createTarget();
  const leads = Array.from({ length: 2_000 }, (_, i) => lead(i % 10 === 3 ? { phone: null } : {}));
  for (let i = 7; i < leads.length; i += 100) leads[i] = leads[i - 1]!;
  const body = assertResponse(await importLeads(target, leads), 200);
  assert.deepEqual([body.imported, body.failed], [1_780, 220]);
  const stored = await storedLeads(target);
  const failed = new Set(body.errors.map(({ index }: Failure) => index));
  assert.deepEqual(
    body.lead_ids,
    leads.filter((_, i) => !failed.has(i)).map((l) => stored.get(l.external_id as string)!.id),
  );
  const indexes = body.errors.map(({ index }: Failure) => index);
  assert.deepEqual(indexes, indexes.toSorted((a: number, b: number) => a - b));
});

/** Runs something while the database refuses each lead with this first name, with this SQLSTATE. */
async function refusing(name: string, sqlstate: string, run: () => Promise<void>): Promise<void> {
  const object = `refuse_${crypto.randomUUID().replaceAll("-", "")}`;
  await sql.unsafe(`
    create function public.${object}() returns trigger language plpgsql as
      $$ begin raise exception 'refused' using errcode = '${sqlstate}'; end $$;
    create trigger ${object} before insert on public.leads
      for each row when (new.first_name = '${name}') execute function public.${object}()`);
  try {
    await run();
  } finally {
    await sql.unsafe(`drop function public.${object}() cascade`);
  }
}

Deno.test("SPEC 4.3, 7: a lead for which the database fails is DATABASE_ERROR, and so is its repeat; the rest is imported", async () => {
  const target = await createTarget();
  const name = crypto.randomUUID();
  const refused = lead({ first_name: name });
  const { external_id } = refused;
  await refusing(name, "XX000", async () => {
    const body = assertResponse(await importLeads(target, [lead(), refused, refused, lead()]), 200);
    assert.deepEqual([body.imported, body.failed], [2, 2]);
    for (const [i, error] of body.errors.entries()) {
      assert.deepEqual(error, { index: i + 1, external_id, code: "DATABASE_ERROR", reason: error.reason });
    }
  });
});

Deno.test("fault: the leads of a chunk that fails are DATABASE_ERROR, and the same request again imports them", async () => {
  const target = await createTarget();
  const name = crypto.randomUUID();
  const leads = [...Array.from({ length: 999 }, () => lead()), lead({ first_name: name })];
  await refusing(name, "53100", async () => {
    const body = assertResponse(await importLeads(target, leads), 200);
    assert.equal(body.imported + body.failed, 1_000);
    assert(body.imported > 0 && body.failed > 0);
    assert(body.errors.every(({ code }: Failure) => code === "DATABASE_ERROR"));
    assert.equal((await storedLeads(target)).size, body.imported);

    // Where nothing could be stored, the request fails.
    const response = await importLeads(target, [lead({ first_name: name }), lead()]);
    assertError(response, 500, "INTERNAL_ERROR", /^the request could not be completed/);
  });
  const { body } = await importLeads(target, leads);
  assert(body.errors.every(({ code }: Failure) => code === "DUPLICATE"));
  assert.equal((await storedLeads(target)).size, 1_000);
});
