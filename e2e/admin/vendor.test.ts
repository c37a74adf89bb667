/** `npm run vendor` against the running stack, as an agency takes on a vendor that no parser knows. */
import assert from "node:assert/strict";
import { admin, adminJson, assertAllRefused, assertRefused, npmRun } from "../support/admin.ts";
import { assertError, send, sql, stack } from "../support/client.ts";
import { readText } from "../../supabase/functions/recruiting/parsers/fixtures/read.ts";

const vendor = (line: string) => admin(`vendor ${line}`);
const npmVendor = (line: string, env?: Record<string, string>) => npmRun("vendor", line, env);
const json = (line: string) => adminJson(`vendor ${line}`);

async function withConfig<Result>(
  config: unknown,
  run: (file: string) => Promise<Result>,
): Promise<Result> {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await Deno.writeTextFile(file, typeof config === "string" ? config : JSON.stringify(config));
    return await run(file);
  } finally {
    await Deno.remove(file);
  }
}

Deno.test("from nothing to a first lead of a vendor that only a mapping fits", async () => {
  const slug = `fair-${crypto.randomUUID().slice(0, 8)}`;
  const payload = readText("mapping");
  const mapping = {
    fields: {
      vendor_lead_id: "lead.uid",
      first_name: "lead.person.given",
      phone: "lead.contacts[?kind == 'mobile'].value | [0]",
    },
  };
  await withConfig(mapping, async (file) => {
    const created = await npmVendor(`create ${slug} --parser mapping --config ${file}`);
    assert.equal(created.code, 0, created.err);
    assert.match(created.out, new RegExp(`npm run admin -- key create ${slug}`));
  });

  await withConfig(payload, async (file) => {
    const parsed = await json(`parse ${slug} "${file}"`);
    assert.equal(parsed.first_name, "Rosa");
    assert.equal(parsed.vendor_metadata.phone, "+15035550166");
    const shown = await vendor(`parse ${slug} ${file}`);
    assert.match(shown.out, /^first_name +Rosa$/m);
  });
  await withConfig(readText("generic"), async (file) => {
    const { resume } = await json(`parse ${slug} "${file}" --parser generic`);
    assert.equal(resume, "application/pdf, 15 bytes");
  });
  assert.equal(
    (await sql`
    select 1 from public.recruiting_leads l join public.vendors v on v.id = l.vendor_id
    where v.slug = ${slug}`).length,
    0,
  );

  const { key, key_prefix } = await json(`key create ${slug} --label first`);
  const ingest = () => send("/recruiting/ingest", { headers: { authorization: `Bearer ${key}` }, body: payload });
  const response = await ingest();
  assert.equal(response.status, 201, JSON.stringify(response.body));
  const [lead] = await sql`
    select l.first_name, l.phone, l.vendor_lead_id from public.recruiting_leads l
    where l.id = ${response.body.id}`;
  assert.deepEqual({ ...lead }, {
    first_name: "Rosa",
    phone: "+15035550166",
    vendor_lead_id: "555001",
  });

  const list = await vendor("list");
  assert.match(list.out, new RegExp(`^${slug} .* mapping +yes +1 `, "m"));
  const keys = await vendor(`key list ${slug}`);
  assert.match(keys.out, new RegExp(`^${key_prefix} +first +works `, "m"));
  assert.equal(keys.out.includes(key), false, "a key is shown once");

  const revoked = await vendor(`key revoke ${slug} ${key_prefix}`);
  assert.equal(revoked.code, 0, revoked.err);
  assertError(await ingest(), 401, "UNAUTHORIZED", /invalid API key/);
  assert.match((await vendor(`key revoke ${slug} ${key_prefix}`)).out, /was revoked before/);
  assert.match((await vendor(`key list ${slug}`)).out, /revoked/);
});

Deno.test("a vendor is changed in what is given, and in nothing else", async () => {
  const slug = `change-${crypto.randomUUID().slice(0, 8)}`;
  await json(`create ${slug} --parser generic --name "Before ${slug}"`);
  const changed = await json(`update ${slug} --parser indeed --active false`);
  assert.equal(changed.parser, "indeed");
  assert.equal(changed.is_active, false);
  assert.equal(changed.name, `Before ${slug}`);
  const renamed = await json(`update ${slug} --name "After ${slug}" --active true`);
  assert.equal(renamed.parser, "indeed");
  assert.equal(renamed.is_active, true);
  assert.equal(renamed.name, `After ${slug}`);
  assert.equal((await json(`update ${slug} --rate-limit 60`)).rate_limit, 60);
  const unlimited = await json(`update ${slug} --rate-limit none`);
  assert.equal(unlimited.rate_limit, null);
  assert.equal(unlimited.name, `After ${slug}`);
});

Deno.test("a mistake is named with what to do next, and changes nothing", async () => {
  const slug = `mistake-${crypto.randomUUID().slice(0, 8)}`;
  await json(`create ${slug} --parser generic`);
  const bad = { fields: { first_name: "person.name[" } };
  const unreadable = /parser_config\.fields\.first_name: cannot read `person\.name\[`/;
  await assertAllRefused(
    [1, /no vendor "not-there"\. See .* list/, "vendor key create not-there"],
    [1, /Give the mapping with --config/, `vendor update ${slug} --parser mapping`],
    [1, /There is no file \/nowhere\.json/, `vendor parse ${slug} /nowhere.json`],
  );
  for (
    const [content, reason, line] of [
      [bad, unreadable, `vendor update ${slug} --parser mapping --config`],
      ["{", /cannot be read as JSON/, `vendor parse ${slug}`],
      [{ phone: "5" }, /would be refused: missing first_name/, `vendor parse ${slug}`],
    ] as const
  ) {
    await withConfig(content, (file) => assertAllRefused([1, reason, `${line} ${file}`]));
  }

  const [unchanged] = await sql`select parser from public.vendors where slug = ${slug}`;
  assert.equal(unchanged!.parser, "generic");
});

Deno.test("a payload with several leads, or with none, is shown as the webhook reads it", async () => {
  const slug = `several-${crypto.randomUUID().slice(0, 8)}`;
  const mapping = {
    fields: { first_name: "name" },
    leads: "leads",
    ignore_when: "event == 'ping'",
  };
  const create = `create ${slug} --parser mapping --config`;
  const parse = (payload: unknown, options = "") =>
    withConfig(payload, (file) => admin(`vendor parse ${slug} ${file} ${options}`));

  await withConfig({ ...mapping, ignore_when: "event ==" }, async (file) =>
    assertRefused(
      await admin(`vendor ${create} ${file}`),
      1,
      /parser_config\.ignore_when: cannot read `event ==`/,
    ));
  await withConfig(mapping, (file) => json(`${create} ${file}`));

  const ping = await parse({ event: "ping" });
  assert.equal(ping.code, 0, ping.err);
  assert.match(ping.out, /^Nothing is stored: not a new application$/m);

  const payload = { leads: [{ name: "Ann", city: "Salem" }, { nickname: "Bo" }] };
  const shown = await parse(payload);
  assert.match(shown.out, /^Lead 1 of 2\n(.*\n)*first_name +Ann$/m);
  assert.match(shown.out, /^Lead 2 of 2\nrefused: missing first_name$/m);
  const [first, second] = JSON.parse((await parse(payload, "--json")).out);
  assert.deepEqual(first.vendor_metadata, { vendor_fields: { city: "Salem" } });
  assert.deepEqual(second, { error: "missing first_name" });
});

Deno.test("a mistake on the command line of npm run is named in the first line", async () => {
  const unknown = await npmVendor("frob");
  assertRefused(unknown, 2, /^there is no command "frob"\. Give one of: list, create, /);
  assert.match(unknown.err, /^usage: npm run admin -- vendor <verb> \[options\]$/m);
  assertRefused(await vendor("parse nobody x.json"), 1, /^There is no vendor "nobody"/);
  const help = await npmVendor("");
  assert.equal(help.code, 0);
  assert.match(help.out, /^Usage: npm run admin -- vendor /);
});

Deno.test("without a stack, the command takes a database's address or says so", async () => {
  const elsewhere = { STACK_FILE: "/nowhere/stack.json" };
  const lost = await npmVendor("list", elsewhere);
  assert.equal(lost.code, 1);
  assert.match(lost.err, /npm start.*--db-url/);
  const found = await npmVendor(`list --db-url ${stack.db_url}`, elsewhere);
  assert.equal(found.code, 0, found.err);
  assert.match(found.out, /^slug +name +parser /);
  const named = await npmVendor("list", { ...elsewhere, SUPABASE_DB_URL: stack.db_url });
  assert.equal(named.code, 0, named.err);
});
