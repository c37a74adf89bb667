/** The demonstration as a person starts it: its world, its life, and the tour through it (docs/tour.md). */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { eventually } from "../../e2e/support/processes.ts";
import { freePorts, ROOT, runToEnd } from "../local/mod.ts";
import { loginOf, PASSWORD } from "./cast.ts";
import { passTime } from "./clock.ts";

const dataDir = Deno.makeTempDirSync({ prefix: "lead-intake-demo-" });
const [port, dbPort] = freePorts(2) as [number, number];
// For pictures, as a reader sees it.
const [pace, leads] = Deno.env.has("DESK_PICTURES") ? [6, 700] : [30, 100];
/** The world of the seed 1, by its leads. A change of it changes these lines. How many texts there are depends on the bot. */
const WORLDS: Record<number, string> = {
  100: "105 leads, 7 waiting, 5 duplicates, 3 people twice, 13 rejected deliveries, 1 returned, 34 conversations",
  700: "705 leads, 88 waiting, 33 duplicates, 23 people twice, 28 rejected deliveries, 10 returned, 204 conversations",
};

const demo = new Deno.Command("npm", {
  args: [
    ...["run", "--silent", "demo", "--", "--port", `${port}`, "--db-port", `${dbPort}`, "--data-dir", dataDir],
    ...["--pace", `${pace}`, "--leads", `${leads}`],
  ],
  cwd: ROOT,
  stdout: "piped",
  stderr: "inherit",
}).spawn();
let printed = "";
const reading = demo.stdout.pipeThrough(new TextDecoderStream()).pipeTo(
  new WritableStream({ write: (text) => void (printed += text) }),
);
Deno.test.afterAll(async () => {
  await stop();
  Deno.removeSync(dataDir, { recursive: true });
});

async function stop(): Promise<number> {
  // It has ended already.
  try {
    demo.kill("SIGTERM");
  } catch { /* */ }
  await reading;
  return (await demo.status).code;
}

await Promise.race([
  eventually(400, () => assert.match(printed, /^Ready in/m)),
  // It says why.
  demo.status.then(() => assert.fail("it has ended before it was ready")),
]);
// The modules imported here read stack.json.
Deno.env.set("STACK_FILE", join(dataDir, "stack.json"));
const { send, sql, stack } = await import("../../e2e/support/client.ts");
const { receive } = await import("../../e2e/support/sms.ts");
const { deskTest, signIn, until } = await import("../../e2e/desk/harness.ts");
const { box, send: sendButton, texts } = await import("../../e2e/desk/talks.ts");
const { picture } = await import("../../e2e/desk/demo_pictures.ts");
const { miscounted } = await import("../chaos/account.ts");

async function assertCounted(): Promise<void> {
  const orders = await sql`select id from public.recruiting_orders`;
  assert.deepEqual(await miscounted(orders.map(({ id }) => id)), []);
  assert.deepEqual([...await sql`select * from public.recount_orders()`], []);
}

async function admin(...args: string[]): Promise<string> {
  const { code, out, err } = await runToEnd("sh", ["dev/scripts/run.sh", "admin/main.ts", ...args]);
  assert.equal(code, 0, err);
  return out;
}

Deno.test("what would touch another stack is refused with words", async () => {
  const other = await Deno.makeTempDir();
  await Deno.mkdir(join(other, "postgres"));
  const cases = [
    [["--db-url", "postgresql://db.example.com/postgres"], 2, /has a database of its own/],
    [["--data-dir", other], 1, /belongs to another stack/],
  ] as const;
  for (const [args, code, words] of cases) {
    const ran = await runToEnd("sh", ["dev/scripts/run.sh", "dev/demo/main.ts", ...args]);
    assert.equal(ran.code, code, ran.err);
    assert.match(ran.err, words);
  }
  await Deno.remove(other, { recursive: true });
});

Deno.test("the same seed makes the same world, whose counts are right", async () => {
  assert(printed.includes(`  World     ${WORLDS[leads]}, `), printed);
  await assertCounted();
});

Deno.test("vendors, recruits and systems go on, and a line says each event without a number", async () => {
  await eventually(120, () => {
    for (const what of ["lead", "text", "recruit", "receiver"]) {
      assert.match(printed, new RegExp(`^\\d\\d:\\d\\d:\\d\\d ${what} `, "m"));
    }
  });
  // An alert names a number of the service.
  assert.doesNotMatch(printed.split("Ready in")[1]!.replaceAll(/ number \+\d+/g, ""), /\d{7}/);
});

// The tour. Its person is nobody of the world, so that life writes nothing in her name.
const AVERY = { first_name: "Avery", last_name: "Cole", phone: "+13125560142", state: "IL" };
const OLIVIA = { email: "olivia.park@example.com", password: PASSWORD };
const DANA = { email: loginOf({ first: "Dana", last: "Whitfield" }), password: PASSWORD };
let lead: { id: string; agent: { email: string; password: string }; conversation: string; service: string };

async function say(Body: string): Promise<void> {
  await receive({ id: "", recruit: AVERY.phone, service: lead.service }, { Body });
  await passTime(sql);
}

/** What the page of the tour shows at the end of a step. */
async function shown(page: Page, step: number): Promise<void> {
  await until(async () => await page.locator(".skeleton").count() === 0);
  await picture(page, `tour/${step}`);
}

/** Opens a view without loading the page again. */
const open = (page: Page, view: string) => page.evaluate(`location.hash = "#/${view}"`);

deskTest("the tour, step 1: a lead comes", async (page) => {
  const key = stack.vendors.find(({ parser }) => parser === "generic")!.api_key;
  const { status, body } = await send("/recruiting/ingest", {
    headers: { authorization: `Bearer ${key}` },
    body: { vendor_lead_id: "tour-1", ...AVERY },
  });
  assert.equal(status, 201);
  await signIn(page, OLIVIA, "operator/leads");
  // The list has no names, because to read a lead is noted.
  await page.getByRole("link", { name: "tour-1" }).waitFor();
  const [agent] = await sql`select email from public.agents where id = ${body.distributed_to.agent_id}`;
  await eventually(180, async () => {
    const [talk] = await sql`
      select c.id, c.service_phone from public.recruiting_conversations c
      join public.recruiting_messages m on m.conversation_id = c.id and m.status = 'delivered'
      where c.recruiting_lead_id = ${body.id}`;
    const { id: conversation, service_phone: service } = talk!;
    lead = { id: body.id, agent: { email: agent!.email, password: PASSWORD }, conversation, service };
  });
  await shown(page, 1);
});

deskTest("the tour, step 2: it has an agent, and is greeted", async (page) => {
  await signIn(page, DANA, `recruits/${lead.id}`);
  await page.getByText("Thanks for applying! When may I call you?").first().waitFor();
  await shown(page, 2);
});

deskTest(
  "the tour, steps 3 to 5: the bot asks and hands over, the agent answers, the recruit says stop",
  async (page) => {
    await say("Hi");
    await signIn(page, lead.agent, `inbox/${lead.conversation}`);
    await texts(page).getByText("Do you hold a life insurance license?").waitFor();
    await say("Can somebody call me?");
    await texts(page).getByText("will text you soon.").waitFor();
    await shown(page, 3);

    await box(page, `${AVERY.first_name} ${AVERY.last_name}`).fill("Hi Avery, does 5 pm work?");
    await sendButton(page).click();
    await texts(page).getByText("Hi Avery, does 5 pm work?").waitFor();
    await shown(page, 4);

    await say("STOP");
    await page.getByText("Nobody of the agency may text this number").first().waitFor();
    await shown(page, 5);
  },
);

deskTest("the tour, steps 6 to 9: an order, a mapping, a lead that is returned, and an alert", async (page) => {
  const [order] = await sql`select id from public.recruiting_orders where priority = -5`;
  await signIn(page, OLIVIA, `operator/orders/${order!.id}`);
  await page.locator("li[aria-current]").waitFor();
  await page.getByText("takes leads before this order").first().waitFor();
  await shown(page, 6);

  const [{ id, count }] = await sql`
    select min(r.id::text) as id, count(*)::integer as count from public.rejected_deliveries r
    join public.vendors v on v.id = r.vendor_id where v.slug = 'career-fair' and r.status = 'open'` as unknown as [
    { id: string; count: number },
  ];
  await open(page, `operator/mappings/career-fair/${id}`);
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("It would be refused:").waitFor();
  await page.getByLabel("Mapping", { exact: true }).fill(JSON.stringify(
    {
      fields: {
        vendor_lead_id: "badge",
        first_name: "visitor.name || guest.given_name",
        last_name: "guest.family_name",
        email: "visitor.email",
        phone: "visitor.phone || guest.mobile",
        state: "visitor.state || guest.home_state",
      },
    },
    null,
    2,
  ));
  await page.getByText("It would be read as this lead.").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved. It works within seconds.").waitFor();
  await open(page, "operator/deliveries");
  await page.getByRole("link", { name: "Career fairs" }).first().click();
  await page.getByRole("button", { name: `Replay all ${count}` }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: `Replay all ${count}` }).click();
  await until(async () =>
    (await sql`
      select from public.rejected_deliveries r join public.vendors v on v.id = r.vendor_id
      where v.slug = 'career-fair' and r.status = 'replayed'`).length === count
  );
  await shown(page, 7);

  await admin("lead", "return", lead.id, "--reason", "Changed her mind", "--yes");
  await open(page, `operator/search/${lead.id}`);
  await page.getByText("Changed her mind").first().waitFor();
  await shown(page, 8);

  await open(page, "operator");
  await page.getByText("Waiting leads").first().waitFor();
  await page.locator(".troubles .row-link").first().click();
  await page.getByRole("dialog").getByText("Since").last().waitFor();
  await shown(page, 9);
});

deskTest("the tour, steps 10 and 11: what the agency's system got, and the operator's command for it", async (page) => {
  await page.goto(`http://127.0.0.1:${port + 11}/`);
  await page.getByRole("heading", { name: "The newest deliveries" }).waitFor();
  await page.getByText(": verified").first().waitFor();
  await shown(page, 10);

  const command = await admin("lead", "show", "tour-1");
  assert.match(command, /Avery Cole/);
  assert.match(command, /Changed her mind/);
  await page.setContent(`<pre>$ npm run admin -- lead show tour-1\n${command.replaceAll("<", "&lt;")}</pre>`);
  await shown(page, 11);
});

Deno.test("SIGTERM ends all of it, with right counts and no process left", async () => {
  await assertCounted();
  await sql.end();
  const started = JSON.parse(Deno.readTextFileSync(join(dataDir, "processes.json"))) as { pid: number }[];
  assert(started.length > 3);
  assert.equal(await stop(), 0);
  assert.match(printed, /Stopped\.\s*$/);
  for (const { pid } of started) assert.throws(() => Deno.kill(pid, "SIGCONT"), Deno.errors.NotFound);
  for (const free of [port, dbPort, port + 9, port + 10, port + 11]) Deno.listen({ port: free }).close();
});
