import assert from "node:assert/strict";
import fc from "fast-check";
import { assertError, assertResponse, sql } from "../support/client.ts";
import { createTarget, importLeads, lead, sendImport, storedLeads } from "../support/leads.ts";

/** An entry of `errors`. */
interface Failure {
  index: number;
  external_id: string | null;
  code: string;
  reason: string;
  lead_id?: string;
}

Deno.test("SPEC 4.3: an external_id that the agency has is DUPLICATE with the existing lead's id, and the lead stays", async () => {
  const target = await createTarget();
  const first = lead({ first_name: "First" });
  const { body: before } = await importLeads(target, [first]);
  const external_id = String(first.external_id).toUpperCase();
  const again = { ...first, external_id, first_name: "Second" };
  const { body } = await importLeads(target, [lead(), again, again]);

  assert.deepEqual([body.imported, body.failed], [1, 2]);
  const lead_id = before.lead_ids[0];
  assert.deepEqual(
    body.errors.map(({ reason: _, ...error }: Failure) => error),
    [1, 2].map((index) => ({ index, external_id, code: "DUPLICATE", lead_id })),
  );
  const stored = await storedLeads(target);
  assert.equal(stored.get(first.external_id as string)!.first_name, "First");
  assert.equal(stored.size, 2);
});

Deno.test("SPEC 4.3: one external_id in two agencies is two leads", async () => {
  const sent = lead();
  for (const target of [await createTarget(), await createTarget()]) {
    assert.equal((await importLeads(target, [sent])).body.imported, 1);
  }
});

Deno.test("SPEC 4.3: of the leads with one external_id in a request the first valid one is imported", async () => {
  const target = await createTarget();
  const external_id = crypto.randomUUID();
  const { body } = await importLeads(target, [
    lead({ external_id, phone: "" }),
    lead({ external_id, first_name: "Imported" }),
    lead({ external_id: external_id.toUpperCase(), first_name: "Repeat" }),
    lead({ external_id, state: null }),
  ]);
  assert.equal(body.imported, 1);
  assert.deepEqual(
    body.errors.map(({ index, code, lead_id }: Failure) => [index, code, lead_id]),
    [[0, "INVALID", undefined], [2, "DUPLICATE", body.lead_ids[0]], [3, "INVALID", undefined]],
  );
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

  const { body: again } = await importLeads(target, leads);
  assert.deepEqual([again.imported, again.failed], [0, 2_000]);
  assert.equal((await storedLeads(target)).size, 1_780);
});

Deno.test("more than 10,000 leads are PAYLOAD_TOO_LARGE", async () => {
  const target = await createTarget();
  const leads = Array.from({ length: 10_001 }, () => lead());
  assertError(await importLeads(target, leads), 413, "PAYLOAD_TOO_LARGE", /10000/);
  assert.equal((await storedLeads(target)).size, 0);
});

Deno.test("race: the same import several times at once imports each lead once", async () => {
  const target = await createTarget();
  const leads = Array.from({ length: 1_200 }, () => lead());
  const responses = await Promise.all([leads, leads.toReversed(), leads].map((sent) => importLeads(target, sent)));
  for (const response of responses) {
    const { imported, failed, errors } = assertResponse(response, 200);
    assert.equal(imported + failed, leads.length);
    assert(errors.every(({ code }: Failure) => code === "DUPLICATE"));
  }
  const imported = responses.flatMap(({ body }) => body.lead_ids);
  assert.equal(new Set(imported).size, leads.length);
  assert.equal(imported.length, leads.length);
  assert.equal((await storedLeads(target)).size, leads.length);
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
  const leads = [lead(), refused, refused, lead()];
  await refusing(name, "XX000", async () => {
    const body = assertResponse(await importLeads(target, leads), 200);
    assert.deepEqual([body.imported, body.failed], [2, 2]);
    for (const [i, error] of body.errors.entries()) {
      assert.deepEqual(error, {
        index: i + 1,
        external_id: refused.external_id,
        code: "DATABASE_ERROR",
        reason: error.reason,
      });
    }
  });
  const { body } = await importLeads(target, leads);
  assert.deepEqual([body.imported, body.failed], [1, 3]);
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
  });
  const { body } = await importLeads(target, leads);
  assert(body.errors.every(({ code }: Failure) => code === "DUPLICATE"));
  assert.equal((await storedLeads(target)).size, 1_000);
});

Deno.test("fault: when nothing could be stored the request is INTERNAL_ERROR, and the response says nothing of the cause", async () => {
  const target = await createTarget();
  const name = crypto.randomUUID();
  await refusing(name, "53100", async () => {
    const response = await importLeads(target, [lead({ first_name: name }), lead()]);
    assertError(response, 500, "INTERNAL_ERROR", /^the request could not be completed/);
  });
  assert.equal((await storedLeads(target)).size, 0);
});

Deno.test("property: no leads cause a 500, imported + failed is the number sent, and a second time nothing is imported", async () => {
  const target = await createTarget();
  const anything = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\0", "\ud800", "' ; drop table leads --", "NaN", "1e400", "𝕏", " "),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const field = fc.oneof({ weight: 3, arbitrary: fc.string({ minLength: 1 }) }, anything);
  const valid = fc.record({
    external_id: fc.oneof(fc.uuid(), fc.constant("20000009-0000-4000-8000-000000000009")),
    first_name: field,
    last_name: field,
    phone: field,
    email: field,
    state: field,
    zip: field,
    type: fc.oneof({ weight: 3, arbitrary: fc.constant("fe") }, field),
  });
  const leads = fc.array(fc.oneof({ weight: 3, arbitrary: valid }, anything), { maxLength: 8 });

  await fc.assert(
    fc.asyncProperty(leads, async (sent) => {
      const body = assertResponse(await importLeads(target, sent), 200);
      assert.equal(body.imported + body.failed, sent.length);
      assert.equal(body.lead_ids.length, body.imported);
      assert.equal(body.errors.length, body.failed);

      const { body: again } = await importLeads(target, sent);
      assert.deepEqual([again.imported, again.failed], [0, sent.length]);
    }),
    { numRuns: 60 },
  );
});

Deno.test("property: no body causes a 500", async () => {
  const body = fc.oneof(fc.json(), fc.string({ unit: "binary" }), fc.uint8Array());
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      assertResponse(await sendImport(sent), 400);
    }),
    { numRuns: 60 },
  );
});
