/** `npm run admin -- lead fetch`: leads that Meta has, and of which no notice came. */
import assert from "node:assert/strict";
import { GRAPH_APP, GRAPH_PAGE, GRAPH_TOKEN } from "../../dev/testing/graph/app.ts";
import { admin, adminJson, assertRefused } from "../support/admin.ts";
import { sql } from "../support/client.ts";
import { withGraph } from "../support/graph.ts";
import { addSecret, createWebhook, type Webhook } from "../support/webhooks.ts";
import { double } from "./graph.ts";

const SINCE = "--since 2026-07-01";
const FORMS = ["330000000000002", "330000000000003"] as const;
/** What no command prints. */
const PRIVATE = new RegExp(`Rosalind|${GRAPH_TOKEN}|${GRAPH_APP.secret}`);

/** The vendors of the tests so far, whose fetches are in no other test's way. */
const vendors: string[] = [];
Deno.test.afterEach(() => sql`delete from private.lead_fetches where vendor_id = any(${vendors})`.then(() => {}));

async function createPage(config: object = { page_id: GRAPH_PAGE.id }): Promise<Webhook> {
  const webhook = { ...await createWebhook("meta", { parser: "meta" }), secret: GRAPH_APP.secret };
  await sql`update public.vendors set webhook_config = ${sql.json(config as never)} where id = ${webhook.id}`;
  vendors.push(webhook.id);
  await addSecret(webhook, GRAPH_APP.secret);
  await addSecret(webhook, GRAPH_TOKEN, "access_token");
  return webhook;
}

let ids = Date.now() * 1_000;

/** Adds leads to a form at Meta. Returns their ids. */
function addLeads(
  count: number,
  { form_id = FORMS[0] as string, created_time = "2026-07-29T08:00:00+0000" } = {},
): string[] {
  return Array.from({ length: count }, () => {
    const id = String(++ids);
    const field_data = [{ name: "first_name", values: ["Rosalind"] }];
    double.addLead({ id, form_id, created_time, field_data });
    return id;
  });
}

async function fetchesOf({ id }: Webhook) {
  const rows = await sql`
    select leadgen_id, page_id, form_id, state from private.lead_fetches where vendor_id = ${id}`;
  return [...rows];
}

Deno.test("what Meta has and we do not is fetched, of each form and page, once somebody has said so", async () => {
  await withGraph(async () => {
    const webhook = await createPage();
    const many = addLeads(130);
    const few = addLeads(2, { form_id: FORMS[1] });
    addLeads(3, { created_time: "2026-06-30T23:59:59+0000" });
    const first = addLeads(1, { created_time: "2026-07-01T00:00:00+0000" });
    double.addForm({ id: "330000000000009", name: "Nobody answered" });

    const shown = await admin(`lead fetch --vendor ${webhook.slug} ${SINCE} --dry-run`);
    assert.equal(shown.code, 0);
    assert.match(shown.out, /Leads that would be fetched: 133\./);
    const unasked = await admin(`lead fetch --vendor ${webhook.slug} ${SINCE}`);
    assertRefused(
      unasked,
      2,
      /^Fetch the missing leads of .*, 133 of them\? --dry-run lists the forms\. .* say so with --yes/,
    );
    assert.equal((await fetchesOf(webhook)).length, 0, "neither changes anything");

    const asked = await admin(`lead fetch --vendor ${webhook.slug} ${SINCE} --yes --json`);
    assert.doesNotMatch(shown.out + unasked.err + asked.err + asked.out, PRIVATE);
    const { queued, forms } = JSON.parse(asked.out);
    assert.equal(queued, 133);
    assert.deepEqual(forms.map(({ leads, missing }: Record<string, number>) => [leads, missing]), [[131, 131], [2, 2], [
      0,
      0,
    ]]);
    const fetches = await fetchesOf(webhook);
    assert.deepEqual(fetches.map(({ leadgen_id }) => leadgen_id).sort(), [...many, ...few, ...first].sort());
    assert(fetches.every(({ page_id }) => page_id === GRAPH_PAGE.id));
    assert.equal(fetches.filter(({ form_id }) => form_id === FORMS[1]).length, 2);
    assert.equal(double.requests(`${FORMS[0]}/leads`).length, 6, "two pages each time");
    assert(double.requests(`${FORMS[0]}/leads`).every(({ query }) => query.fields === "id"));
  }, double);
});

Deno.test("what is there, or waits, is not missing; what has failed is fetched again", async () => {
  await withGraph(async () => {
    const webhook = await createPage();
    const [failed, waiting, ours] = addLeads(3);
    await sql`
      insert into public.recruiting_leads (vendor_id, vendor_lead_id, first_name)
      values (${webhook.id}, ${ours!}, 'Ann')`;
    const add = (id: string) =>
      sql`
      select public.add_lead_fetches(${webhook.id}, 'test', ${sql.json([{ leadgen_id: id, notice: {} }])})`;
    await add(failed!);
    await add(waiting!);
    await sql`
      update private.lead_fetches set state = 'failed', reason = 'code 100/33' where leadgen_id = ${failed!}`;
    const { forms, queued } = await adminJson(`lead fetch --vendor ${webhook.slug} ${SINCE} --yes`);
    assert.deepEqual([forms[0].leads, forms[0].missing, queued], [3, 1, 1]);
    assert.deepEqual((await fetchesOf(webhook)).map(({ state }) => state), ["waiting", "waiting"]);
    const again = await adminJson(`lead fetch --vendor ${webhook.slug} ${SINCE}`);
    assert.deepEqual([again.forms[0].missing, again.queued], [0, 0]);
  }, double);
});

Deno.test("without a page that is set, the one of the last notice is meant; a system user's token lists its forms by the page's own", async () => {
  await withGraph(async () => {
    const webhook = await createPage({});
    await addSecret(webhook, "EAAsystem", "access_token");
    double.setToken("EAAsystem", { type: "SYSTEM_USER" });
    const [known] = addLeads(2);
    const line = `lead fetch --vendor ${webhook.slug} ${SINCE} --yes`;
    assertRefused(await admin(line), 1, /^The page is not known: .* --page-id/);
    const notices = [{ leadgen_id: known, page_id: GRAPH_PAGE.id, notice: {} }];
    await sql`select public.add_lead_fetches(${webhook.id}, 'test', ${sql.json(notices as never)})`;
    const { page_id, queued } = await adminJson(line);
    assert.deepEqual([page_id, queued], [GRAPH_PAGE.id, 1]);
  }, double);
});

Deno.test("where Meta fails, the command says how, and nothing is changed", async () => {
  await withGraph(async () => {
    const webhook = await createPage();
    addLeads(1);
    addLeads(1, { form_id: FORMS[1] });
    for (
      const [fault, reason] of [
        [{ call: "forms", code: 190, subcode: 463 }, /the access token has expired \(code 190\/463\)/],
        [{ call: "leads", id: FORMS[1], code: 200 }, /the access token may not read it/],
        [{ call: "leads", id: FORMS[1], code: 80005, wait_minutes: 7 }, /wait 7 min/],
        [{ call: "leads", id: FORMS[1], drop: true, times: -1 }, /has not answered/],
      ] as const
    ) {
      double.fail(fault);
      const ran = await admin(`lead fetch --vendor ${webhook.slug} ${SINCE} --yes`);
      assertRefused(ran, 1, reason);
      assert.match(ran.err, /Nothing was changed/);
      double.clearFaults();
    }
    assert.deepEqual(await fetchesOf(webhook), []);
  }, double);
});

Deno.test("a mistake is named, and nothing is asked of Meta", async () => {
  await withGraph(async () => {
    const [webhook, other] = [await createPage(), await createWebhook("standard")];
    const line = `lead fetch --vendor ${webhook.slug}`;
    assertRefused(await admin(line), 2, /^required option '--since <time>' not specified/);
    assertRefused(await admin(`${line} --since soon`), 2, /^--since: "soon" is not a time in the past/);
    assertRefused(await admin(`lead fetch --vendor ${other.slug} ${SINCE}`), 1, /no webhook of the scheme meta/);
    await sql`
      update private.vendor_webhook_secrets set expires_at = now()
      where vendor_id = ${webhook.id} and kind = 'access_token'`;
    assertRefused(await admin(`${line} ${SINCE}`), 1, /has no access token: .* --kind access_token/);
    assert.deepEqual(double.requests(), []);
  }, double);
});

Deno.test("a token of a person's session, which ends soon, is found by the check", async () => {
  await withGraph(async () => {
    const webhook = await createPage();
    await addSecret(webhook, "to verify", "verify_token");
    addLeads(1);
    const states = async () => {
      const { code, out } = await admin(`vendor webhook check ${webhook.slug} --json`);
      const found = JSON.parse(out) as { check: string; state: string }[];
      return [code, found.filter(({ state }) => state === "wrong").map(({ check }) => check)];
    };
    const inSeconds = Math.floor(Date.now() / 1_000);
    double.setToken(GRAPH_TOKEN, { expires_at: inSeconds + 3_600 });
    assert.deepEqual(await states(), [1, ["access token"]]);
    double.setToken(GRAPH_TOKEN, { expires_at: inSeconds + 60 * 86_400 });
    assert.deepEqual(await states(), [0, []]);
    const { out } = await admin(`vendor webhook check ${webhook.slug}`);
    assert.doesNotMatch(out, PRIVATE);
  }, double);
});
