/** GET /recruiting/metrics: the figures for a monitor, and docs/grafana.json, which shows them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createOrder, createVendor, send, sql, type Vendor, withKey } from "../support/client.ts";
import { functionWith } from "../support/function.ts";

const BOARD = readFileSync(new URL("../../docs/grafana.json", import.meta.url), "utf8");

/** Reads the metrics from a function that has keys. */
async function get(authorization = "Bearer new", METRICS_KEY = "new, old") {
  const recruiting = await functionWith("recruiting", { METRICS_KEY });
  return await recruiting("/recruiting/metrics", { method: "GET", headers: { authorization } });
}

/** The series with their values, each checked by the grammar of the format. */
async function series(): Promise<Map<string, number>> {
  const { status, headers, body } = await get();
  assert.equal(status, 200);
  assert.equal(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.equal(headers.get("cache-control"), "no-store");
  assert(body.endsWith("\n"));
  const values = new Map<string, number>();
  const told = new Set<string>();
  let metric: string | undefined;
  for (const line of body.trimEnd().split("\n")) {
    const [, word, name] = /^# (HELP|TYPE) (lead_intake_[a-z_]+) (?:[^\\\n]+)$/.exec(line) ?? [];
    if (word !== undefined) {
      assert(!told.has(`${word} ${name}`), line);
      told.add(`${word} ${name}`);
      assert(
        word !== "TYPE" || /(counter|gauge)$/.test(line) && /_total$/.test(name!) === line.endsWith("counter"),
        line,
      );
      metric = name;
      continue;
    }
    const sample = /^([a-z_]+)(?:\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)+\})? (\d+(?:\.\d+)?(?:e[+-]\d+)?)$/.exec(line);
    assert(sample, line);
    assert.equal(sample[1], metric, "the samples of a metric stand together");
    const key = line.slice(0, line.lastIndexOf(" "));
    assert(!values.has(key), `${key} is there twice`);
    values.set(key, Number(sample[2]));
  }
  return values;
}

const leads = (vendor: Vendor, result: string) => `lead_intake_leads_total{result="${result}",vendor="${vendor.slug}"}`;
const post = (vendor: Vendor, body: object) => send("/recruiting/ingest", { headers: withKey(vendor), body });

Deno.test("without METRICS_KEY there is no such path, and with another key it is UNAUTHORIZED", async () => {
  const { status, body } = await send("/recruiting/metrics", { method: "GET" });
  assert.deepEqual([status, body.error.code], [404, "NOT_FOUND"]);
  for (const key of ["", " ", ","]) assert.equal((await get("Bearer new", key)).status, 404);
  for (const authorization of ["", "Bearer", "Bearer newer", "Basic new", "new"]) {
    const refused = await get(authorization);
    assert.deepEqual([refused.status, refused.body.error.code], [401, "UNAUTHORIZED"]);
    assert.equal(refused.headers.get("www-authenticate"), 'Bearer realm="metrics"');
  }
  for (const key of ["new", "old"]) assert.equal((await get(`Bearer ${key}`)).status, 200);
});

Deno.test("leads are counted by vendor and result, and what waits, fills and opens is shown", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor, { quantity: 2 });
  for (const id of ["1", "2", "3", "1"]) await post(vendor, { vendor_lead_id: id, first_name: "Ada" });
  await post(vendor, { vendor_lead_id: "4" });
  const before = await series();
  assert.equal(before.get(leads(vendor, "created")), 3);
  assert.equal(before.get(leads(vendor, "duplicate")), 1);
  const of = `{agency="${order.agency_id}",order="${order.id}"}`;
  assert.equal(before.get(`lead_intake_order_filled${of}`), 2);
  assert.equal(before.get(`lead_intake_order_quantity${of}`), 2);
  const waiting = (distribution: string) =>
    `lead_intake_leads_waiting{distribution="${distribution}",vendor="${vendor.slug}"}`;
  // The seed's order takes any lead, so that one may have gone there.
  assert(before.get(waiting("unmatched"))! <= 1);
  assert.equal(before.get(waiting("pending")), 0);
  assert.equal(before.get(leads(vendor, "rejected")), 1);
  for (const state of ["pending", "sending", "unconfirmed"]) {
    assert(before.has(`lead_intake_texts_open{state="${state}"}`));
  }
  assert(before.has("lead_intake_texts_oldest_due_seconds"));
  for (const state of ["waiting", "sending"]) assert(before.has(`lead_intake_dispatches_open{state="${state}"}`));
  assert(before.has("lead_intake_dispatches_oldest_due_seconds"));
  assert(before.has('lead_intake_alerts{kind="order_filled",state="open"}'));
});

Deno.test("of more than 200 vendors and orders the rest is one series", async () => {
  const slug = `many-${crypto.randomUUID().slice(0, 8)}`;
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  await sql`
    insert into public.vendors (slug, name, created_at)
    select ${slug} || '-' || n, 'Many', now() + interval '1 hour' from generate_series(1, 220) n`;
  await sql`
    insert into public.recruiting_orders (agency_id, quantity, filled, status, created_at)
    select ${order.agency_id}, 10, 3, 'paused', '2020-01-01' from generate_series(1, 220)`;
  try {
    const keys = Array.from((await series()).keys());
    const values = (label: string) =>
      new Set(keys.flatMap((key) => new RegExp(`[{,]${label}="([^"]*)"`).exec(key)?.[1] ?? []));
    for (const label of ["vendor", "order", "agency"]) assert(values(label).size <= 200, label);
    for (const label of ["vendor", "order"]) assert(values(label).has("other"), label);
  } finally {
    await sql`delete from public.recruiting_orders where agency_id = ${order.agency_id} and status = 'paused'`;
    await sql`delete from public.vendors where starts_with(slug, ${slug})`;
  }
});

Deno.test("docs/grafana.json shows each metric, and none that there is not", async () => {
  const names = new Set(Array.from(await series(), ([key]) => key.split("{", 1)[0]!));
  const board = JSON.parse(BOARD);
  const shown = new Set<string>(
    board.panels.flatMap(({ targets = [] }) =>
      targets.flatMap(({ expr }: { expr: string }) => expr.match(/lead_intake_\w+/g) ?? [])
    ),
  );
  assert.deepEqual([...shown].sort(), [...names].sort());
});
