import { Buffer } from "node:buffer";
import { KIB, MIB } from "../../supabase/functions/_shared/units.ts";
import { createAgency } from "./agency.ts";
import { usageOf } from "./cpu.ts";
import { recruit, salesLeads } from "./leads.ts";
import { jsonHeaders } from "./load.ts";
import type { Benchmark, Measurement } from "./measurement.ts";
import { type OwnStack, startIsolate, startStack } from "./stacks.ts";

/**
 * The platform's limits: memory of an isolate in MiB, and CPU of a request in seconds. As memory it counts V8's heap
 * and buffers (`MemCheck` in github.com/supabase/edge-runtime): those of an idle isolate, and at most what it grows by.
 */
const MEMORY = 256;
const IDLE = 17;
const CPU = 2;
/** For the largest import and the largest bulk request with leads of a usual size. */
const USUAL_CPU = 0.5;

/** Requests with the same body at the same time. */
const AT_ONCE = 4;

/** A body of the largest size that a route takes. */
interface Body {
  what: string;
  path: string;
  headers: Record<string, string>;
  make(): string;
  cpu: number;
}

/** The memory and CPU that the largest bodies take of a process that runs nothing but the function. */
export const bodies: Benchmark = {
  name: "bodies",
  title: `Memory and CPU of the largest bodies, ${AT_ONCE} at once`,
  async run() {
    const stack = await startStack();
    const measurements: Measurement[] = [];
    for (const body of await largestBodies(stack)) {
      const { memory, seconds } = await measureAgain(stack, body);
      const detail = `${memory.toFixed(0)} MiB, ${seconds.toFixed(2)} s`;
      measurements.push(
        {
          what: `${body.what}: memory`,
          rounds: [memory],
          unit: "MiB",
          budget: { atMost: MEMORY },
          detail,
        },
        {
          what: `${body.what}: CPU of a request`,
          rounds: [seconds],
          unit: "s",
          budget: { atMost: body.cpu },
          detail,
        },
      );
    }
    return measurements;
  },
};

async function largestBodies(stack: OwnStack): Promise<Body[]> {
  const { agencyId, agentId, vendorId, vendorKey } = await createAgency(stack.sql);
  await stack.sql`
    update vendors set webhook_scheme = 'header', webhook_config = '{"header": "x-bench-key"}'
    where id = ${vendorId}`;
  await stack.sql`select create_vendor_webhook_secret('bench', 'secret', 'bench-secret', 'bench')`;
  const bulk = { path: "/recruiting/ingest/bulk", headers: jsonHeaders(vendorKey) };
  const bulkOf = (more: object) =>
    JSON.stringify({
      leads: Array.from({ length: 10_000 }, () => ({ ...recruit(crypto.randomUUID()), ...more })),
    });
  const imported = {
    path: "/api/leads/import",
    headers: { "x-api-key": stack.leads_import_api_key, "content-type": "application/json" },
  };
  const importOf = (more: object) =>
    JSON.stringify({
      agency_id: agencyId,
      agent_id: agentId,
      leads: salesLeads(10_000).map((lead) => ({ ...lead, ...more })),
    });
  return [
    { what: "10,000 leads in bulk", ...bulk, make: () => bulkOf({}), cpu: USUAL_CPU },
    {
      what: "10,000 leads of 10 MiB in bulk",
      ...bulk,
      make: () => bulkOf({ note: "x".repeat(750) }),
      cpu: CPU,
    },
    { what: "an import of 10,000 leads", ...imported, make: () => importOf({}), cpu: USUAL_CPU },
    {
      what: "an import of 10,000 leads of 10 MiB",
      ...imported,
      make: () => importOf({ address: "x".repeat(750) }),
      cpu: CPU,
    },
    {
      what: "a lead with a resume of 10 MiB",
      path: "/recruiting/ingest",
      headers: jsonHeaders(vendorKey),
      make: () => JSON.stringify({ first_name: "Ann", resume: resume(10 * MIB) }),
      cpu: CPU,
    },
    {
      what: "a webhook with a file of 14.9 MiB",
      path: "/recruiting/webhooks/bench",
      headers: { "x-bench-key": "bench-secret", "content-type": "multipart/form-data; boundary=b" },
      make: () => uploadedForm(15 * MIB - 100 * KIB),
      cpu: CPU,
    },
  ];
}

function resume(bytes: number): string {
  return Buffer.alloc(bytes, "%PDF-1.4 ").toString("base64");
}

/** A form with a name and a file of so many bytes, which begin like the end of the form again and again. */
function uploadedForm(bytes: number): string {
  const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"`;
  const file = "\r\n--c\r\n".repeat(bytes / 7);
  return `${part("first_name")}\r\n\r\nAnn\r\n` +
    `${part("resume")}; filename="cv.pdf"\r\n\r\n${file}\r\n--b--`;
}

/** On a busy machine a large body may come too late: then all is measured again. */
async function measureAgain(stack: OwnStack, body: Body) {
  for (let tries = 1;; tries++) {
    try {
      return await measure(stack, body);
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

/** Sends a body to an isolate of its own. */
async function measure(stack: OwnStack, { what, path, headers, make }: Body) {
  const { pid, url, stop } = await startIsolate(stack, path.split("/")[1]!);
  try {
    const texts = Array.from({ length: AT_ONCE }, make);
    const before = usageOf(pid);
    await Promise.all(texts.map(async (body) => {
      const response = await fetch(url + path, { method: "POST", headers, body });
      const text = await response.text();
      if (!response.ok) throw new Error(`${what}: ${response.status} ${text.slice(0, 300)}`);
    }));
    const after = usageOf(pid);
    return {
      memory: IDLE + after.peak - before.size,
      seconds: (after.seconds - before.seconds) / AT_ONCE,
    };
  } finally {
    await stop();
  }
}
