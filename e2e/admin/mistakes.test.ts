/** What operators type by mistake, and what each is told. */
import assert from "node:assert/strict";
import { buildProgram } from "../../admin/program.ts";
import { PARSER_NAMES } from "../../supabase/functions/recruiting/parsers/index.ts";
import { admin, adminJson } from "../support/admin.ts";
import { createVendor, sql, stack } from "../support/client.ts";
import { newPhone } from "../support/sms.ts";

/** A command line, the code that it ends with, and its first line on stderr. */
type Mistake = [line: string, code: 1 | 2, answer: string];

/** The verbs of a noun, or the nouns, as an answer lists them. */
function commandsOf(noun?: string): string {
  const program = buildProgram(() => Promise.resolve(), () => {});
  const parent = noun ? program.commands.find((command) => command.name() === noun)! : program;
  return parent.createHelp().visibleCommands(parent).map((command) => command.name()).join(", ");
}

/** What the mistakes are made with; its names are its own. */
async function createWorld() {
  const tag = crypto.randomUUID().slice(0, 8);
  const name = `${tag} Harbor Mutual`;
  const agency = await adminJson(`agency create --name "${name}" --timezone America/Chicago`);
  const other = await adminJson(`agency create --name "${tag} Harbor Point" --timezone UTC`);
  const newAgent = (options: string) => adminJson(`agent create --agency ${options}`);
  const email = `ada-${tag}@example.com`;
  const ada = await newAgent(`${agency.id} --first-name Ada --last-name Byron --email ${email}`);
  const off = await newAgent(`${agency.id} --first-name Otto --last-name Off`);
  await adminJson(`agent update ${off.id} --active false`);
  const grace = await newAgent(`${other.id} --first-name Grace --last-name Hopper`);
  const { slug } = await createVendor();
  const newOrder = () => adminJson(`order create --agency ${agency.id} --vendor ${slug} --quantity 10`);
  const [open, filled, closed] = [await newOrder(), await newOrder(), await newOrder()];
  await sql`
    update public.recruiting_orders set filled = 10, status = 'filled' where id = ${filled.id}`;
  await adminJson(`order close ${closed.id}`);
  const [ours, optedOut] = [newPhone(), newPhone()];
  await adminJson(`number add ${ours} --agency ${agency.id}`);
  await adminJson(`consent record ${optedOut} --agency ${agency.id} --state opted_out --reason x`);
  return {
    tag,
    name,
    agency,
    other,
    email,
    ada,
    off,
    grace,
    slug,
    open,
    filled,
    closed,
    ours,
    optedOut,
  };
}

type World = Awaited<ReturnType<typeof createWorld>>;

function mistakes(w: World): Mistake[] {
  const order = `order create --agency ${w.agency.id} --quantity`;
  const agent = `agent create --agency ${w.agency.id} --first-name`;
  const asIn = "As in: npm run admin --";
  const create = `${asIn} vendor create acme --parser generic --name "Acme Leads"`;
  const again = "If a second one is meant, add --again";
  const unattended = "There is no terminal to ask on: say so with --yes";
  const see = "See npm run admin --";
  const time = "a time such as 2027-01-31, 2027-01-31T09:00 or 2027-01-31T09:00Z";
  return [
    // The words of a command.
    [
      "agnecy list",
      2,
      `there is no command "agnecy" (Did you mean agency?). Give one of: ${commandsOf()}`,
    ],
    ["agency add", 2, `there is no command "add". Give one of: ${commandsOf("agency")}`],
    [
      "vendor lst",
      2,
      `there is no command "lst" (Did you mean list?). Give one of: ${commandsOf("vendor")}`,
    ],
    [
      `agency update Harbor Mutual --timezone UTC`,
      2,
      `"Mutual" is too much: quote what has spaces. ${asIn} agency update "Lakeshore Insurance" --timezone America/New_York`,
    ],
    ["vendor create --parser generic", 2, `missing required argument 'slug'. ${create}`],
    [
      `order create --agency ${w.agency.id}`,
      2,
      `required option '--quantity <number>' not specified. ${asIn} order create --agency "Lakeshore Insurance" ` +
      "--quantity 100 --states IL,IN --daily-cap 10",
    ],
    [
      "order list --agnecy x",
      2,
      `unknown option '--agnecy' (Did you mean --agency?). ${asIn} order list --status open`,
    ],
    ["vendor create x --parser", 2, `option '--parser <name>' argument missing. ${create}`],
    [`agency update ${w.agency.id}`, 2, "update: give what to change, such as --name <text>"],
    ["delivery replay", 2, "give one delivery, or all of a --vendor, or all --imports"],
    // Values that are none of their kind.
    [`${order} ten`, 2, '--quantity: "ten" is not a whole number from 1 on'],
    [`${order} 5 --daily-cap 2.5`, 2, '--daily-cap: "2.5" is not a whole number from 1 on'],
    [
      `${order} 5 --states Illinoy`,
      2,
      '--states: "Illinoy" is not a list of states such as IL,Indiana,WI',
    ],
    [
      `${order} 5 --states IL,ON`,
      2,
      '--states: "IL,ON" is not a list of states such as IL,Indiana,WI',
    ],
    [`${order} 5 --starts 2097-02-30`, 2, `--starts: "2097-02-30" is not ${time}`],
    [
      `${order} 5 --greeting-template "Hi {first_name}"`,
      1,
      "--greeting-template: give a text of at most 1,600 characters with {agency} and the word STOP, and no other " +
      "braces than {agency}, {first_name} and {agent}. Characters are UTF-16 units: most emoji have 2 or more",
    ],
    [
      "agency create --name X --timezone Chicago",
      1,
      '--timezone: "Chicago" is not an IANA time zone, such as America/New_York',
    ],
    [
      `agency update ${w.agency.id} --name " "`,
      2,
      '--name: " " is not a text with something in it',
    ],
    [`${agent} X --email ada`, 2, '--email: "ada" is not an e-mail address'],
    [`${agent} X --phone 555`, 2, '--phone: "555" is not a phone number such as +13125550142'],
    [`agent update ${w.ada.id} --role boss`, 2, '--role: "boss" is not agent or manager'],
    [`agent update ${w.ada.id} --active no`, 2, '--active: "no" is not true or false'],
    [
      `key create ${w.slug} --expires 2001-01-01`,
      2,
      '--expires: "2001-01-01" is not a time in the future such as 2027-01-31 or 2027-01-31T18:00Z',
    ],
    [
      `number add 4711 --agency ${w.agency.id}`,
      2,
      '"4711" is not a phone number such as +13125550100',
    ],
    [
      'vendor create "Acme Leads" --parser generic',
      1,
      "A slug is lower-case letters and digits in parts joined by - or _, 63 characters at most, not " +
      '"Acme Leads"',
    ],
    // Names of nothing, of several, or of something else.
    [
      `agency update "${w.tag} Harbour Mutual" --timezone UTC`,
      1,
      `There is no agency "${w.tag} Harbour Mutual". Did you mean ${w.name}? ${see} agency list`,
    ],
    ['agency update "" --name X', 1, `There is no agency "". ${see} agency list`],
    [
      `order create --agency ${w.tag} --quantity 5`,
      1,
      `"${w.tag}" stands for several: ` +
      [w.agency, w.other].toSorted((a, b) => a.id < b.id ? -1 : 1)
        .map(({ id, name }) => `${id} (${name})`).join(", "),
    ],
    [
      `${order} 5 --agent "Ada Biron"`,
      1,
      `There is no agent "Ada Biron" of "${w.name}". Did you mean Ada Byron? ${see} agent list --agency ${w.agency.id}`,
    ],
    [
      `${order} 5 --agent grace`,
      1,
      `There is no agent "grace" of "${w.name}". ${see} agent list --agency ${w.agency.id}`,
    ],
    [
      `${order} 5 --vendor ${w.slug}x`,
      1,
      `There is no vendor "${w.slug}x". Did you mean ${w.slug}? ${see} vendor list`,
    ],
    ["order close 99999999", 1, `There is no order "99999999". ${see} order list`],
    ["lead show nobody-4711", 1, `There is no lead "nobody-4711". ${see} lead find`],
    ["delivery show 12345678", 1, `There is no delivery "12345678". ${see} delivery list`],
    [`key revoke ${w.slug} nokey`, 1, `There is no key "nokey". ${see} key list ${w.slug}`],
    [
      "vendor create x --parser ziprecruitr",
      1,
      `There is no parser "ziprecruitr". The parsers are: ${PARSER_NAMES.join(", ")}`,
    ],
    [
      `vendor update ${w.slug} --parser mapping --config nowhere.json`,
      1,
      "There is no file nowhere.json",
    ],
    ["report --timezone Mars", 1, '--timezone: "Mars" is not an IANA time zone name'],
    ["lead list --timezone Mars", 1, '--timezone: "Mars" is not an IANA time zone name'],
    [
      `delivery list --vendor ${w.slug} --since 2026-02-30`,
      2,
      '--since: "2026-02-30" is not a time in the past such as 2026-01-31 or 2026-01-31T18:00Z',
    ],
    [
      `key create ${w.slug} --expires 2097-02-30T10:00Z`,
      2,
      '--expires: "2097-02-30T10:00Z" is not a time in the future such as 2027-01-31 or 2027-01-31T18:00Z',
    ],
    ["number pause +13125550000", 1, `+13125550000 is not one of our numbers. ${see} number list`],
    // What the state of things forbids.
    [
      `agency create --name "${w.name.toUpperCase()}" --timezone UTC --yes`,
      1,
      `There is the agency "${w.name}" already (${w.agency.id}). ${again}`,
    ],
    [
      `${agent} ada --last-name BYRON`,
      1,
      `There is the agent "Ada Byron" already (${w.ada.id}). ${again}`,
    ],
    [
      `agent create --agency ${w.other.id} --first-name Bob --email ${w.email.toUpperCase()}`,
      1,
      `The e-mail address ${w.email} is that of the agent "Ada Byron" (${w.ada.id}). ${again}`,
    ],
    [
      `${agent} ada --last-name byron --email ${w.email}`,
      1,
      `The e-mail address ${w.email} is that of the agent "Ada Byron" (${w.ada.id}). ${again}`,
    ],
    [
      `vendor create ${w.slug} --parser generic`,
      1,
      `There is a vendor "${w.slug}" already: npm run admin -- vendor update ${w.slug}`,
    ],
    [
      `agent update ${w.ada.id} --active false`,
      2,
      `Ada Byron is the agency's last active agent: its leads go to nobody. ${unattended}`,
    ],
    [
      `${order} 5 --agent otto`,
      1,
      `--agent: Otto is inactive and gets no lead: npm run admin -- agent update ${w.off.id} --active true`,
    ],
    [
      `${order} 5 --starts 2097-01-02 --ends 2097-01-01`,
      1,
      "--ends: 2097-01-01T06:00:00.000Z is not after the start, 2097-01-02T06:00:00.000Z",
    ],
    [
      `${order} 5 --ends 2020-01-01`,
      1,
      "--ends: 2020-01-01T06:00:00.000Z is in the past, so the order would get no lead",
    ],
    [
      `order update ${w.filled.id} --quantity 9`,
      1,
      "--quantity: 9 is less than the 10 leads it has already received",
    ],
    [
      `order open ${w.filled.id}`,
      1,
      `The order ${w.filled.id} has all of its 10 leads. For more: npm run admin -- order update ${w.filled.id} ` +
      "--quantity <number>",
    ],
    [
      `order pause ${w.closed.id}`,
      1,
      `The order ${w.closed.id} is closed, so it gets no leads as it is.`,
    ],
    [
      `agent invite ${w.grace.id}`,
      1,
      `The agent has no e-mail address: npm run admin -- agent update ${w.grace.id} --email <address>`,
    ],
    [
      `consent record ${w.optedOut} --agency ${w.agency.id} --state opted_in --reason x`,
      2,
      `${w.optedOut} has opted out of texts from "${w.name}". Has the recruit agreed? ${unattended}`,
    ],
    // Where the database is.
    [
      "agency list --db-url frob",
      2,
      "--db-url: give an address such as postgresql://postgres:<password>@<host>:5432/postgres",
    ],
    [
      "agency list --db-url postgresql://postgres:secret@127.0.0.1:1/postgres",
      1,
      "The database at 127.0.0.1:1 could not be asked (ECONNREFUSED). Is it running?",
    ],
    [
      `agency list --db-url ${stack.db_url.replace(/:[^:@]+@/, ":wrong@")}`,
      1,
      `The database at ${new URL(stack.db_url).host} does not accept this password`,
    ],
  ];
}

/** Everything that the mistakes might change. */
async function everything() {
  const [digest] = await sql`
    select
      (select md5(string_agg(t::text, '' order by t.id)) from public.agencies t) as agencies,
      (select md5(string_agg(t::text, '' order by t.id)) from public.agents t) as agents,
      (select md5(string_agg(t::text, '' order by t.id)) from public.recruiting_orders t) as orders,
      (select md5(string_agg(t::text, '' order by t.id)) from public.vendors t) as vendors,
      (select md5(string_agg(t::text, '' order by t.id)) from public.vendor_api_keys t) as keys,
      (select md5(string_agg(t::text, '' order by t.phone)) from public.service_numbers t) as numbers,
      (select md5(string_agg(t::text, '' order by t.id)) from public.text_consent_events t) as consents`;
  return digest;
}

Deno.test("each mistake is answered in one line that says what would do, and changes nothing", async (t) => {
  const world = await createWorld();
  const before = await everything();
  for (const [line, code, answer] of mistakes(world)) {
    await t.step(line, async () => {
      const { code: ended, out, err } = await admin(line);
      assert.deepEqual([ended, out, err.split("\n", 1)[0]], [code, "", answer]);
    });
  }
  assert.deepEqual(await everything(), before);
});

Deno.test("without a stack the answer names what starts one, and where else one may be", async () => {
  const file = Deno.env.get("STACK_FILE")!;
  Deno.env.set("STACK_FILE", "/nowhere/stack.json");
  try {
    const { code, err } = await admin("agency list");
    assert.equal(code, 1);
    assert.equal(
      err,
      "No stack is running (there is no /nowhere/stack.json). Start one first: npm start. " +
        "For one in another folder: export DATA_DIR=<folder>. For a hosted project, give --db-url.",
    );
  } finally {
    Deno.env.set("STACK_FILE", file);
  }
});
