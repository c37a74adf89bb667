/** `npm run admin`: agencies, agents and orders, without a line of SQL. */
import assert from "node:assert/strict";
import { admin, adminJson, assertAllRefused, assertRefused, npmRunOnTerminal } from "../support/admin.ts";
import { createVendor, send, sql } from "../support/client.ts";

const newName = (kind: string) => `${kind} ${crypto.randomUUID()}`;

async function createAgency(timezone = "America/Chicago"): Promise<{ id: string; name: string }> {
  return await adminJson(`agency create --name "${newName("Agency")}" --timezone ${timezone}`);
}

async function createAgent(agency: { id: string }, options = "") {
  return await adminJson(`agent create --agency ${agency.id} --first-name Ada ${options}`);
}

/** An order for a vendor of its own, so that it takes no lead of another test. */
async function createOrder(agency: { id: string }, options = "") {
  const { slug } = await createVendor();
  return await adminJson(`order create --agency ${agency.id} --quantity 10 --vendor ${slug}
    ${options}`);
}

Deno.test("from nothing to a lead that is distributed", async () => {
  const agency = await createAgency();
  const email = `${crypto.randomUUID()}@example.com`;
  const agent = await adminJson(`agent create --agency "${agency.name}" --first-name Maria
    --last-name Alvarez --email ${email.toUpperCase()} --phone +13125550102`);
  assert.equal(agent.email, email);
  const vendor = `shop-${crypto.randomUUID()}`;
  await adminJson(`vendor create ${vendor} --parser generic`);
  const { key } = await adminJson(`key create ${vendor}`);
  const order = await adminJson(`order create --agency ${agency.id.slice(0, 13)} --quantity 1
    --vendor ${vendor} --states "illinois,in" --agent ${email} --priority 1000`);

  const ingested = await send("/recruiting/ingest", {
    headers: { authorization: `Bearer ${key}` },
    body: { first_name: "Rosa", state: "Illinois" },
  });
  assert.deepEqual(ingested.body.distributed_to, { agency_id: agency.id, agent_id: agent.id });

  const orders = await adminJson(`order list --agency ${agency.id}`);
  assert.equal(orders.length, 1);
  assert.partialDeepStrictEqual(orders[0], {
    id: order.id,
    agency_id: agency.id,
    agency: agency.name,
    agent_id: agent.id,
    agent: "Maria",
    vendor,
    states: ["IL", "IN"],
    filled: 1,
    quantity: 1,
    status: "filled",
  });
  const agencies = await admin("agency list");
  assert.match(agencies.out, /^id +name +timezone +active_agents +open_orders +created_at$/m);
  assert.match(
    agencies.out,
    new RegExp(`^${agency.id.slice(0, 8)} +${agency.name} +America/Chicago +1 +0 `, "m"),
  );
  const agents = await admin(`agent list --agency ${agency.id}`);
  assert.match(
    agents.out,
    new RegExp(`^${agent.id.slice(0, 8)} +${agency.name} +Maria +Alvarez +${email} `, "m"),
  );
});

Deno.test("an agency is changed in what is given, and in nothing else", async () => {
  const agency = await createAgency();
  const moved = await adminJson(`agency update ${agency.id} --timezone America/Denver`);
  assert.equal(moved.name, agency.name);
  assert.equal(moved.timezone, "America/Denver");
});

Deno.test("an agent is changed in what is given, and a value is taken away by none", async () => {
  const agency = await createAgency();
  const agent = await createAgent(agency, "--last-name Lovelace --phone +13125550102");
  assert.equal(agent.role, "agent");
  assert.equal(agent.accepts_recruits, true);
  const changed = await adminJson(`agent update ${agent.id} --role manager --active false
    --phone none --yes`);
  const { updated_at: _, ...rest } = changed;
  const { updated_at: __, ...before } = agent;
  assert.deepEqual(rest, { ...before, role: "manager", is_active: false, phone: null });

  const manager = await createAgent(agency, "--role manager");
  assert.equal(manager.accepts_recruits, false);
});

Deno.test("an order is paused, opened and closed", async () => {
  const { id } = await createOrder(await createAgency());
  const statuses: string[] = [];
  for (const verb of ["pause", "open", "close", "open", "open"]) {
    statuses.push((await adminJson(`order ${verb} ${id}`)).status);
  }
  assert.deepEqual(statuses, ["paused", "open", "closed", "open", "open"]);
  assert.match((await admin(`order open ${id}`)).out, /was open before/);
  await adminJson(`order close ${id}`);
  assertRefused(await admin(`order pause ${id}`), 1, /is closed, so it gets no leads/);
});

Deno.test("an order that is filled gets more by its quantity alone", async () => {
  const { id } = await createOrder(await createAgency());
  await sql`update public.recruiting_orders set filled = 10, status = 'filled' where id = ${id}`;
  assertRefused(
    await admin(`order open ${id}`),
    1,
    /has all of its 10 leads\. For more: .* --quantity/,
  );
  assertRefused(
    await admin(`order update ${id} --quantity 9`),
    1,
    /^--quantity: 9 is less than the 10 leads it has already received$/,
  );
  assert.equal((await adminJson(`order update ${id} --quantity 11`)).status, "open");
  assert.equal((await adminJson(`order update ${id} --quantity 10`)).status, "filled");
});

Deno.test("an order's times are in the agency's time zone, unless they say another", async () => {
  const agency = await createAgency("America/Chicago");
  const order = await createOrder(
    agency,
    "--starts 2097-01-31 --ends 2097-07-01T09:00Z --daily-cap 5",
  );
  assert.equal(order.starts_at, "2097-01-31T06:00:00.000Z");
  assert.equal(order.ends_at, "2097-07-01T09:00:00.000Z");
  const changed = await adminJson(`order update ${order.id} --ends 2097-07-01T09:00
    --daily-cap none`);
  assert.equal(changed.starts_at, order.starts_at);
  assert.equal(changed.ends_at, "2097-07-01T14:00:00.000Z");
  assert.equal(changed.daily_cap, null);
});

Deno.test("the beginning of several ids names none of them", async () => {
  const [first, second] = ["a", "b"].map((last) => `abcdef00-0000-4000-8000-00000000000${last}`);
  await sql`
    insert into public.agencies (id, name, timezone)
    values (${first!}, 'First', 'America/Chicago'), (${second!}, 'Second', 'America/Chicago')
    on conflict do nothing`;
  assertRefused(
    await admin("agency update abcdef --name X"),
    1,
    new RegExp(`^"abcdef" stands for several: ${first} \\(First\\), ${second} \\(Second\\)$`),
  );
});

Deno.test("an agency, agent or vendor is found by its name, or the beginning that it alone has", async () => {
  const [one, other] = [await createAgency(), await createAgency()];
  const start = one.name.slice(0, -4);
  assert.equal(
    (await adminJson(`agency update "${start.toUpperCase()}" --name "${one.name}"`)).id,
    one.id,
  );
  assertRefused(
    await admin('agency update "agency " --name X'),
    1,
    /^"agency " stands for several: /,
  );

  const email = `${crypto.randomUUID()}@example.com`;
  const ada = await createAgent(one, `--last-name Byron --email ${email}`);
  await createAgent(other, "--last-name Lovelace");
  for (const name of [email, email.slice(0, 20), ada.id.slice(0, 8)]) {
    assert.equal((await adminJson(`agent update ${name} --last-name Byron`)).id, ada.id, name);
  }
  for (const name of ["Ada", '"ada b"', '"Ada Byron"', email]) {
    const order = await createOrder(one, `--agent ${name}`);
    assert.equal(order.agent_id, ada.id, name);
  }

  const { slug } = await createVendor();
  assert.equal((await adminJson(`vendor update ${slug.slice(0, -3)} --rate-limit 9`)).slug, slug);
});

Deno.test("a name that goes wrong by some letters is suggested as it is", async () => {
  const { name } = await createAgency();
  const typed = name.replace("Agency", "Agancy").slice(0, 20);
  assertRefused(
    await admin(`agency update "${typed}" --name X`),
    1,
    new RegExp(
      `^There is no agency "${typed}". Did you mean ${name}\\? See npm run admin -- agency list$`,
    ),
  );
});

Deno.test("a second one of the same name or address is made only if it is meant", async () => {
  const [agency, other] = [await createAgency(), await createAgency()];
  const email = `${crypto.randomUUID()}@example.com`;
  await createAgent(agency, `--last-name Byron --email ${email}`);
  const slug = `shop-${crypto.randomUUID()}`;
  await adminJson(`vendor create ${slug} --parser generic --name "${slug} Ltd"`);

  const agencies = `agency create --name "${agency.name.toUpperCase()}" --timezone UTC`;
  const agents = `agent create --agency ${agency.id} --first-name ADA --last-name byron`;
  const addresses = `agent create --agency ${other.id} --first-name Bob --email ${email}`;
  const vendors = `vendor create ${slug}-2 --parser generic --name "${slug} LTD"`;
  const rename = `agency update ${other.id} --name "${agency.name}"`;
  for (const line of [agencies, agents, addresses, vendors, rename]) {
    const reason = line === addresses
      ? new RegExp(`^The e-mail address ${email} is that of the agent "Ada Byron" \\(.+\\)\\. If a second one is meant`)
      : /^There is the \w+ ".+" already \(.+\)\. If a second one is meant, add --again$/;
    assertRefused(await admin(`${line} --yes`), 1, reason);
    await adminJson(`${line} --again`);
  }
  await createAgent(other, "--last-name Byron");
  // Changing something else of a double asks nothing.
  await adminJson(`agency update ${other.id} --timezone UTC`);
});

Deno.test("of two who make the same at once, one is refused", async () => {
  const line = `agency create --name "${newName("Agency")}" --timezone UTC`;
  const codes = (await Promise.all([1, 2, 3].map(() => admin(line)))).map(({ code }) => code);
  assert.deepEqual(codes.toSorted(), [0, 1, 1]);
});

Deno.test("an agency's last active agent is switched off only when that is said", async () => {
  const agency = await createAgency();
  const [one, two] = [await createAgent(agency), await createAgent(agency, "--last-name Two")];
  const off = (id: string) => admin(`agent update ${id} --active false`);
  const both = await Promise.all([off(one.id), off(two.id)]);
  assert.equal(both.filter(({ code }) => code === 0).length, 1);
  const last = both[0]!.code === 0 ? two : one;
  assertRefused(
    await off(last.id),
    2,
    /^Ada.* is the agency's last active agent: .* There is no terminal to ask on: say so with --yes$/,
  );
  assert.equal((await adminJson(`agent update ${last.id} --active false --yes`)).is_active, false);
  // It is off, so nothing is asked.
  await adminJson(`agent update ${last.id} --active false`);
});

Deno.test("an order is not changed into one that gets nothing", async () => {
  const agency = await createAgency();
  const away = await createAgent(agency);
  await adminJson(`agent update ${away.id} --active false --yes`);
  const order = await createOrder(agency);
  const ended = await createOrder(agency);
  await sql`
    update public.recruiting_orders set status = 'closed', ends_at = now() where id = ${ended.id}`;
  await assertAllRefused(
    [1, /^--agent: Ada is inactive /, `order update ${order.id} --agent ada`],
    [1, /^--ends: .* is in the past, /, `order update ${order.id} --ends 2020-01-01`],
    [1, /^The order \S+ has ended.* --ends <time>$/, `order open ${ended.id}`],
  );
});

Deno.test("a table fits the terminal, and is whole elsewhere", async () => {
  const agency = await createAgency();
  await createAgent(agency, "--last-name Lovelace");
  const line = `agent list --agency ${agency.id}`;
  const longest = (out: string) => Math.max(...out.split(/\r?\n/).map((row) => row.length));
  assert((await admin(line)).out.includes(agency.name));
  const { code, out } = await npmRunOnTerminal(line, "", 70);
  assert.equal(code, 0);
  assert(out.includes("…") && longest(out) <= 70, out);
});
