/** docs/destinations.md: its commands, its receiver, and the event that it shows. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { freePorts } from "../../dev/local/mod.ts";
import { createOrder, createVendor, send, sql, withKey } from "../support/client.ts";
import { readPage, testPage } from "../support/docs.ts";
import { listen, type Listening } from "../support/processes.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = readPage("docs/destinations.md");

const [port] = freePorts(1) as [number];
let receiver: Listening | undefined;

/** Starts the receiver of the page, as somebody who has pasted it into a file. */
async function startReceiver(secret: string): Promise<void> {
  const [, program] = /^```js\n(.*?)^```/ms.exec(PAGE)!;
  assert.equal(program!.split("\n").filter((line) => line.trim() !== "").length, 12);
  const file = await Deno.makeTempFile({ dir: ROOT, prefix: ".local-receiver-", suffix: ".mjs" });
  await Deno.writeTextFile(file, program!);
  try {
    receiver = await listen("node", [file], { WEBHOOK_SECRET: secret, PORT: String(port) }, port);
  } finally {
    await Deno.remove(file);
  }
}

testPage("docs/destinations.md", {
  clean: () => sql`delete from public.destinations where name = 'crm'`,
  rewrite: (command) => command.replace("http://127.0.0.1:54332", `http://127.0.0.1:${port}`),
  after: {
    'npm run admin -- destination create crm --agency "Lakeshore Insurance Group" --url http://127.0.0.1:54332/':
      async (printed) => {
        await startReceiver(/whsec_[\w+/=]+/.exec(printed)![0]);
        const forged = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "{}" });
        assert.equal(forged.status, 401);
      },
    "npm run admin -- destination test crm": (printed) => {
      assert.match(receiver!.printed(), /^[0-9a-f-]{36} \{[^]*^ {2}type: 'test'/m);
      assert.match(printed, /The receiver has taken the test: HTTP 204/);
      assert.match(printed, /test .*delivered/);
    },
  },
  around: (run) => run().finally(() => receiver?.stop()),
});

Deno.test("docs/destinations.md shows the fields that an event has", async () => {
  const vendor = await createVendor();
  const { agency_id } = await createOrder(vendor);
  await send("/recruiting/ingest", { headers: withKey(vendor), body: { first_name: "Ada", last_name: "Nguyen" } });
  const [{ event }] = await sql`select public.sample_event(${agency_id}) as event` as unknown as [{ event: unknown }];
  const shown = JSON.parse(/^```json\n(.*?)^```/ms.exec(PAGE)![1]!);
  assert.deepEqual(fieldsOf(event), fieldsOf(shown));
});

Deno.test("docs/destinations.md lists the events that a destination can have", async () => {
  const [{ problem }] = await sql`
    select private.destination_problem('{"events": []}', 'webhook') as problem` as unknown as [{ problem: string }];
  const known = problem.replace(/^events: must be a list of: /, "").split(", ");
  const listed = [...PAGE.matchAll(/^\| `([\w.]+)` /gm)].map(([, event]) => event);
  assert.deepEqual(listed.toSorted(), [...known, "test"].toSorted());
});

/** The names of all fields in the objects of a value, other than those that vendors choose. */
function fieldsOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value) || path.endsWith(".metadata")) return [path];
  return Object.entries(value).flatMap(([name, each]) => fieldsOf(each, `${path}.${name}`)).sort();
}
