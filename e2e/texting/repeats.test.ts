/** Leads of one person that arrive on different routes in the same moment, under a repeat rule. */
import assert from "node:assert/strict";
import { GRAPH_APP, GRAPH_PAGE, GRAPH_TOKEN } from "../../dev/testing/graph/app.ts";
import { GraphDouble } from "../../dev/testing/graph/double.ts";
import { ingest, ingestBulk } from "../support/applications.ts";
import { assertDailyCounts, atOnce, createOrder, createVendor, filledOf, send, sql, stack } from "../support/client.ts";
import { eventually } from "../support/processes.ts";
import { addSecret, createWebhook, deliver } from "../support/webhooks.ts";

const PEOPLE = 2_000;
const IN_A_BULK = 100;
const CONNECTIONS = 64;
/** Of the second leads, this many are fetched from Meta, and every fourth other one comes by webhook. */
const FETCHED = 60;

Deno.test("of two leads of a person on different routes in the same moment, exactly one is the earlier", async () => {
  const double = await GraphDouble.start();
  const [vendor, hook, meta] = [
    await createVendor(),
    await createWebhook(),
    { ...await createWebhook("meta", { parser: "meta" }), secret: GRAPH_APP.secret },
  ];
  await addSecret(meta, GRAPH_APP.secret);
  await addSecret(meta, GRAPH_TOKEN, "access_token");
  const vendors = [vendor.id, hook.id, meta.id];
  const orders = await Promise.all(
    [vendor, hook, meta].map((each) => createOrder(each, { quantity: 10_000, agents: 5 })),
  );
  try {
    await sql`
      insert into public.repeat_rules (vendor_id, match, within, action)
      select id, '{phone,email}', '1 day', 'hold' from public.vendors where id in ${sql(vendors)}`;
    const emailOf = (person: number) => `person-${person}-${vendor.slug}@example.com`;
    const leadOf = (person: number) => ({ first_name: "Ada", email: emailOf(person) });

    const first = Date.now() * 1_000;
    const leadgens = Array.from({ length: FETCHED }, (_, person) => String(first + person));
    for (const [person, id] of leadgens.entries()) {
      double.addLead({
        id,
        form_id: "330000000000002",
        created_time: "2026-07-29T08:00:00+0000",
        field_data: [{ name: "first_name", values: ["Ada"] }, { name: "email", values: [emailOf(person)] }],
      });
    }
    const notice = {
      object: "page",
      entry: [{
        id: GRAPH_PAGE.id,
        time: 1785312000,
        changes: leadgens.map((leadgen_id) => ({
          field: "leadgen",
          value: { leadgen_id, page_id: GRAPH_PAGE.id, form_id: "330000000000002", created_time: 1785312000 },
        })),
      }],
    };
    let next = FETCHED;
    const [statuses] = await Promise.all([
      atOnce(CONNECTIONS, async () => {
        const statuses: number[] = [];
        for (let person = next++; person < PEOPLE; person = next++) {
          const { status } = await (person % 4 === 0 ? deliver(hook, leadOf(person)) : ingest(vendor, leadOf(person)));
          statuses.push(status);
        }
        return statuses;
      }),
      deliver(meta, notice).then(() =>
        send("/worker/run", { headers: { authorization: `Bearer ${stack.worker_key}` } })
      ),
      (async () => {
        for (let person = 0; person < PEOPLE; person += IN_A_BULK) {
          const leads = Array.from({ length: IN_A_BULK }, (_, n) => leadOf(person + n));
          const { body } = await ingestBulk(vendor, { leads });
          assert.deepEqual(body, { created: IN_A_BULK, duplicates: 0, errors: [] });
        }
      })(),
    ]);
    assert.deepEqual(statuses.flat().filter((status) => status !== 201), []);

    await eventually(25, async () => {
      const [{ leads, people, firsts, pending } = {}] = await sql`
        select sum(leads)::int as leads, count(*)::int as people, array_agg(distinct firsts)::int[] as firsts,
          sum(pending)::int as pending
        from (
          select count(*) as leads, count(*) filter (where distribution <> 'repeat') as firsts,
            count(*) filter (where distribution = 'pending') as pending
          from public.recruiting_leads where vendor_id in ${sql(vendors)} group by email
        ) person`;
      assert.deepEqual({ leads, people, firsts, pending }, {
        leads: 2 * PEOPLE,
        people: PEOPLE,
        firsts: [1],
        pending: 0,
      });
    });
    for (const order of orders) {
      const [got] = await sql`select count(*)::int as leads from public.recruiting_leads where order_id = ${order.id}`;
      assert.equal(await filledOf(order), got!.leads);
    }
    await assertDailyCounts();
  } finally {
    await sql`delete from public.repeat_rules where vendor_id in ${sql(vendors)}`;
    double.stop();
  }
});
