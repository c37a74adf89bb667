import { createAgency } from "./agency.ts";
import { hostileBodies, type HostileBody, PUBLIC_URL, USUAL_BATCHES } from "./hostile_bodies.ts";
import type { Benchmark, Measurement } from "./measurement.ts";
import { denoArgs, startServer } from "./probe.ts";
import { type OwnStack, startStack } from "./stacks.ts";

/**
 * What the platform gives an isolate in MiB, and a request in seconds of CPU. Of the memory it counts V8's heap and
 * buffers (`MemCheck` in github.com/supabase/edge-runtime). What the process grows by is an upper bound of that.
 */
const MEMORY = 256;
const CPU = 2;

/** Requests with the same body at the same time. */
const AT_ONCE = 4;

/** What one body took. */
interface Usage {
  body: HostileBody;
  /** In MiB: what the idle isolate has, and what the process has grown by. */
  memory: number;
  /** The highest size of the process in MiB. */
  process: number;
  /** CPU time of each request. */
  seconds: number;
}

/** What the largest and the most hostile bodies take of a process that runs nothing but the functions. */
export const bodies: Benchmark = {
  name: "bodies",
  title: `Memory and CPU of the worst bodies of each route, ${AT_ONCE} at once`,
  async run() {
    const stack = await startStack();
    const agency = await createAgency(stack.sql);
    const [lead] = await stack.sql`
      insert into leads (external_id, agency_id, agent_id, first_name, phone, state, type)
      values (gen_random_uuid(), ${agency.agencyId}, ${agency.agentId}, 'Ida', '555-0100', 'IL', 'fe')
      returning id`;
    await stack.sql`
      update vendors set webhook_scheme = 'header', webhook_config = '{"header": "x-bench-key"}'
      where id = ${agency.vendorId}`;
    await stack
      .sql`select create_vendor_webhook_secret('bench', 'secret', 'bench-secret', 'bench')`;
    const all = hostileBodies({
      ...agency,
      leadId: lead!.id,
      importKey: stack.leads_import_api_key,
      anonKey: stack.anon_key,
      twilioToken: stack.twilio_auth_token,
      webhook: { path: "/recruiting/webhooks/bench", headers: { "x-bench-key": "bench-secret" } },
    });
    const usages: Usage[] = [];
    for (const body of all) {
      const usage = await measureAgain(stack, body);
      console.log(`${routeOf(body)}: ${describe(usage)}`);
      usages.push(usage);
    }
    const batches = usages.filter(({ body }) => USUAL_BATCHES.includes(body.name));
    const groups = Map.groupBy(usages, ({ body }) => `${routeOf(body)}, ${kindOf(body)}`);
    return [
      ...batches.map((usage) => cpuOf(`${routeOf(usage.body)}, ${usage.body.name}`, usage, 0.5)),
      ...groups.entries().flatMap(([what, same]) => {
        const [largest] = same.toSorted((a, b) => b.memory - a.memory) as [Usage];
        const [slowest] = same.toSorted((a, b) => b.seconds - a.seconds) as [Usage];
        return [memoryOf(what, largest), cpuOf(what, slowest, CPU)];
      }),
    ];
  },
};

function memoryOf(what: string, usage: Usage): Measurement {
  return {
    what: `${what}: memory`,
    rounds: [usage.memory],
    unit: "MiB",
    budget: { atMost: MEMORY },
    detail: describe(usage),
  };
}

function cpuOf(what: string, usage: Usage, atMost: number): Measurement {
  return {
    what: `${what}: CPU of a request`,
    rounds: [usage.seconds],
    unit: "s",
    budget: { atMost },
    detail: describe(usage),
  };
}

function routeOf({ path }: HostileBody): string {
  return path.split("/").slice(2).join("/").replace(/^webhooks\/.*/, "webhooks");
}

function kindOf({ status }: HostileBody): string {
  return status < 400 ? "taken" : "refused";
}

function describe({ body: { name }, memory, process, seconds }: Usage): string {
  const mebibytes = `${memory.toFixed(0)} MiB (the process ${process.toFixed(0)})`;
  return `${name}, ${mebibytes}, ${seconds.toFixed(2)} s`;
}

/** Measures again where a busy machine was too slow for a time limit. */
async function measureAgain(stack: OwnStack, body: HostileBody): Promise<Usage> {
  for (let failures = 0;; failures++) {
    try {
      return await measure(stack, body);
    } catch (error) {
      if (!(error instanceof TooSlow) || failures === 3) throw error;
    }
  }
}

/** Sends a body to a process of its own. */
async function measure(stack: OwnStack, body: HostileBody): Promise<Usage> {
  const flags = [`--v8-flags=--max-heap-size=${MEMORY}`, "--unstable-no-legacy-abort"];
  const args = denoArgs("bodies_probe.ts", [], flags);
  const { printed, stop } = await startServer(Deno.execPath(), args, {
    SUPABASE_URL: stack.api_url,
    SUPABASE_ANON_KEY: stack.anon_key,
    SUPABASE_SERVICE_ROLE_KEY: stack.service_role_key,
    LEADS_IMPORT_API_KEY: stack.leads_import_api_key,
    TWILIO_AUTH_TOKEN: stack.twilio_auth_token,
    PUBLIC_FUNCTIONS_URL: PUBLIC_URL,
  });
  try {
    const url = `http://127.0.0.1:${printed}`;
    const usage = async () => await (await fetch(`${url}/usage`)).json();
    const texts = Array.from({ length: AT_ONCE }, () => body.make());
    const before = await usage();
    await Promise.all(texts.map((text) => send(url, body, text)));
    const after = await usage();
    return {
      body,
      memory: before.heap + after.process - before.process,
      process: after.process,
      seconds: (after.seconds - before.seconds) / AT_ONCE,
    };
  } finally {
    await stop();
  }
}

async function send(url: string, { path, headers, status }: HostileBody, body: string) {
  const response = await fetch(url + path, { method: "POST", headers, body });
  const text = await response.text();
  if (response.status === status) return;
  const message = `${path} responded ${response.status}: ${text}`;
  throw [408, 500].includes(response.status) ? new TooSlow(message) : new Error(message);
}

class TooSlow extends Error {}
