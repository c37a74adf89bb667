/** Commands on a terminal and by npm run: what a person is asked and shown there, and where the database is found. */
import assert from "node:assert/strict";
import { ADMIN, admin, adminJson, assertRefused, npmRun, runOnTerminal } from "../support/admin.ts";
import { runToEnd, stackInfoFile } from "../../dev/local/mod.ts";
import { createVendor, sql, stack, type Vendor } from "../support/client.ts";
import { withEnv } from "../support/env.ts";
import { reject } from "../support/deliveries.ts";
import { createConversation } from "../support/sms.ts";

/** The secrets of a vendor's webhook, as the functions find them. */
async function secretsOf(vendor: Vendor): Promise<string[]> {
  const [row] = await sql`select public.identify_webhook(${vendor.slug}) as webhook`;
  return row!.webhook.secrets.map(({ secret }: { secret: string }) => secret);
}

Deno.test("a table fits the terminal, and is whole elsewhere", async () => {
  const name = `Agency ${crypto.randomUUID()}`;
  const agency = await adminJson(`agency create --name "${name}" --timezone UTC`);
  await adminJson(`agent create --agency ${agency.id} --first-name Ada --last-name Lovelace`);
  const line = `agent list --agency ${agency.id}`;
  const longest = (out: string) => Math.max(...out.split(/\r?\n/).map((row) => row.length));
  assert((await admin(line)).out.includes(name));
  const { code, out } = await runOnTerminal(line, "", 70);
  assert.equal(code, 0);
  assert(out.includes("…") && longest(out) <= 70, out);
});

// The `script` of other systems takes its command in another way.
const onTerminal = { ignore: Deno.build.os !== "linux" };

Deno.test("on a terminal, key revoke asks first", onTerminal, async () => {
  const vendor = await createVendor();
  const revoke = `key revoke ${vendor.slug} ${vendor.key}`;
  const declined = await runOnTerminal(revoke, "n\n");
  assert.equal(declined.code, 1, declined.out);
  assert.match(declined.out, /for good\? \[y\/N\][^]*Nothing was changed\./);
  const state = async () => (await adminJson(`key list ${vendor.slug}`))[0].state;
  assert.equal(await state(), "works");
  const accepted = await runOnTerminal(revoke, "y\n");
  assert.equal(accepted.code, 0, accepted.out);
  assert.equal(await state(), "revoked");
});

Deno.test("on a terminal a secret is asked for, and what is typed is not shown", onTerminal, async () => {
  const vendor = await createVendor();
  await adminJson(`vendor webhook set ${vendor.slug} --scheme meta`);
  const { code, out } = await runOnTerminal(`vendor webhook secret create ${vendor.slug}`, "typed secret\n");
  assert.equal(code, 0, out);
  assert.match(out, /The secret of test-\S+\? What you type is not shown\./);
  assert.deepEqual(await secretsOf(vendor), ["typed secret"]);
});

/** Runs a command as a user without a name, which containers have. */
const AS_NOBODY = ["--user", "--map-user=54321"];
const canBeNobody = await new Deno.Command("unshare", { args: [...AS_NOBODY, "true"] }).output()
  .then(({ success }) => success, () => false);

Deno.test({
  name: "who has no name on this computer is asked on a terminal, and elsewhere must give one",
  // Some systems let only root do this.
  ignore: !canBeNobody,
  async fn() {
    const name = `Agency ${crypto.randomUUID()}`;
    const create = [...ADMIN, "agency", "create", "--name", name, "--timezone", "UTC"];
    const env = { STACK_FILE: stackInfoFile(), USER: "", LOGNAME: "", USERNAME: "" };
    assertRefused(
      await runToEnd("unshare", [...AS_NOBODY, ...create], env, ""),
      2,
      /^Nobody knows who does this: .* --as <name>$/,
    );
    assert.equal((await sql`select from public.agencies where name = ${name}`).count, 0);

    const command = ["unshare", ...AS_NOBODY, ...create].map((word) => `'${word}'`).join(" ");
    const args = ["--quiet", "--return", "--command", command, "/dev/null"];
    const { code, out } = await runToEnd("script", args, env, "olga of the night\n");
    assert.equal(code, 0, out);
    assert.match(out, /Who does this\? Your name, for `operator actions`:/);
    const [row] = await sql`
      select a.done_by from public.operator_actions a join public.agencies g on g.id::text = a.subject ->> 'agency_id'
      where g.name = ${name}`;
    assert.equal(row!.done_by, "olga of the night");
  },
});

Deno.test("a secret that is piped in is stored, and none is an error", async () => {
  const vendor = await createVendor();
  await adminJson(`vendor webhook set ${vendor.slug} --scheme meta`);
  const create = `vendor webhook secret create ${vendor.slug}`;
  const piped = await npmRun("admin", create, {}, "piped secret\n");
  assert.equal(piped.code, 0, piped.err);
  assert.deepEqual(await secretsOf(vendor), ["piped secret"]);
  assertRefused(await admin(create), 1, /^No secret was given: pipe it in, or add --generate/);
});

Deno.test("on a terminal a replay shows how far it is", async () => {
  const vendor = await createVendor();
  await reject(...["Ann", "Bob"].map((first_name) => ({ vendor_id: vendor.id, payload: { first_name } })));
  const { code, out } = await runOnTerminal(`delivery replay --vendor ${vendor.slug}`, "");
  assert.equal(code, 0, out);
  assert.match(out, /0 of 2 replayed[^]*1 of 2 replayed[^]*New leads: 2\./);
});

Deno.test("a text is sent to another project with the token of the environment", async () => {
  const { recruit, service } = await createConversation();
  const line = `text send --from ${recruit} --to ${service} --url`;
  const withToken = (token: string) =>
    withEnv({ TWILIO_AUTH_TOKEN: token }, () => admin(`${line} ${stack.functions_url}/`));
  const { code, out, err } = await withToken(`${stack.twilio_auth_token}, older`);
  assert.equal(code, 0, err);
  assert.match(out, /^received \(MessageSid SM[0-9a-f]{32}\)\n$/);
  assertRefused(await withToken("wrong"), 1, /\/recruiting\/sms\/inbound responded 401: .*UNAUTH/);
  assertRefused(await withToken(""), 1, /^Set TWILIO_AUTH_TOKEN/);
});

Deno.test("npm run prints a mistake to stderr, and ends with the code of the command", async () => {
  const unknown = await npmRun("vendor", "frob");
  assertRefused(unknown, 2, /^there is no command "frob"\. Give one of: list, create, /);
  assert.match(unknown.err, /^usage: npm run admin -- vendor <verb> \[options\]$/m);
});

Deno.test("without a stack, the command takes a database's address, or says what starts one", async () => {
  await withEnv({ STACK_FILE: "/nowhere/stack.json" }, async () => {
    const { code, err } = await admin("vendor list");
    assert.equal(code, 1);
    assert.equal(
      err,
      "No stack is running (there is no /nowhere/stack.json). Start one first: npm start. " +
        "For one in another folder: export DATA_DIR=<folder>. For a hosted project, give --db-url.",
    );
    assert.match((await admin(`vendor list --db-url ${stack.db_url}`)).out, /^slug +name +parser /);
    const named = await withEnv({ SUPABASE_DB_URL: stack.db_url }, () => admin("vendor list"));
    assert.equal(named.code, 0, named.err);
  });
});
