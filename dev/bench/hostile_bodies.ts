import { Buffer } from "node:buffer";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import type { Agency } from "./agency.ts";
import { salesLeads } from "./leads.ts";

/** A body that takes as much of a route as any can. */
export interface HostileBody {
  name: string;
  path: string;
  headers: Record<string, string>;
  /** Makes the body, each time another. */
  make(): string;
  /** The status of the response. */
  status: number;
}

/** Where the functions believe to be, for signed texts. */
export const PUBLIC_URL = "https://bench.example/functions/v1";

const KIB = 1024;
const MIB = 1024 * KIB;
const PROSE = "Sold life insurance. ";
const SMALL_LIMIT = 64 * KIB;

/** The bodies of all routes, for an agency, a sales lead of its agent, and the secrets of a stack. */
export function hostileBodies(
  { agencyId, agentId, vendorKey }: Agency,
  given: {
    leadId: string;
    importKey: string;
    anonKey: string;
    twilioToken: string;
    /** The path of a webhook of the scheme `header`, and its header. */
    webhook: { path: string; headers: Record<string, string> };
  },
): HostileBody[] {
  const json = { "content-type": "application/json" };
  const vendor = { authorization: `Bearer ${vendorKey}`, ...json };
  const target = `"agency_id":"${agencyId}","agent_id":"${agentId}"`;
  const on =
    (path: string, headers: Record<string, string>) =>
    (name: string, status: number, make: () => string): HostileBody => ({
      ...{ name, path, headers, make, status },
    });
  const ingest = on("/recruiting/ingest", vendor);
  const bulk = on("/recruiting/ingest/bulk", vendor);
  const { path, headers } = given.webhook;
  const hook = on(path, { ...headers, ...json });
  const form = on(path, { ...headers, "content-type": "application/x-www-form-urlencoded" });
  const multipart = on(path, { ...headers, "content-type": "multipart/form-data; boundary=b" });
  const strangers = on(path, json);
  const importing = on("/api/leads/import", { "x-api-key": given.importKey, ...json });
  const logging = on("/api/leads/log-presentation-activity", { apikey: given.anonKey, ...json });

  return [
    ingest("a resume of 10 MiB", 201, () => `{"first_name":"Ann","resume":"${resume(10 * MIB)}"}`),
    ingest(
      "a resume of 10 MiB of text",
      201,
      () =>
        `{"first_name":"Ann","resume":"${
          Buffer.alloc(10 * MIB, "Z\xfcrich ", "latin1").toString("base64")
        }"}`,
    ),
    ingest(
      "a file of 2,000,000 numbers",
      201,
      () => `{"first_name":"Ann","x":[${list("255", 2e6)}]}`,
    ),
    ingest("100,000 values", 201, () => `{"first_name":"Ann","x":[${objects(49_990)}]}`),
    ingest("20,000 keys", 201, () => `{"first_name":"Ann",${members(19_000)}}`),
    ingest(
      "100,000 numbers of 17 digits",
      201,
      () => `{"first_name":"Ann","x":[${list("1.1234567890123456789", 99_990)}]}`,
    ),
    ingest("4 MiB of text", 201, () => `{"first_name":"Ann","x":"${text(4 * MIB - KIB)}ж"}`),
    ingest(
      "escapes of half characters",
      201,
      () => `{"first_name":"Ann","x":"${"\\ud800".repeat(690_000)}"}`,
    ),
    ingest("13.8 MiB of keys", 413, () => `{"first_name":"Ann",${members(1_050_000)}}`),
    ingest("14.9 MiB of [1,1,…]", 413, () => `[${list("1", 7_800_000)}]`),
    ingest("15 MiB of [", 400, () => "[".repeat(15 * MIB)),
    ingest("a resume without an end", 400, () => `{"resume":"${resume(11 * MIB)}"`),

    bulk("10,000 leads of 14 fields", 200, () => JSON.stringify({ leads: applicants(14) })),
    bulk("10,000 leads of 10 MiB", 200, () => JSON.stringify({ leads: applicants(14, 1_000) })),
    bulk(
      "260,000 values in one lead",
      200,
      () => `{"leads":[{"first_name":"Ann","x":[${objects(129_000)}]}]}`,
    ),
    bulk("260,000 values in 10,000 leads", 200, () => `{"leads":[${leadsOfObjects(10_000, 11)}]}`),
    bulk("10,000 rows that are no leads", 200, () => `{"leads":[${list("{}", 10_000)}]}`),
    bulk("9.2 MiB of keys", 413, () => `{"leads":[{${members(700_000)}}]}`),
    bulk("10 MiB of rows", 413, () => `{"leads":[${list("{}", 3_400_000)}]}`),

    hook("a resume of 10 MiB", 201, () => `{"first_name":"Ann","resume":"${resume(10 * MIB)}"}`),
    hook("1,000 leads", 200, () => JSON.stringify(applicants(24, 0, 1_000))),
    hook("1,000 leads of 4 MiB", 200, () => JSON.stringify(applicants(24, 4_000, 1_000))),
    hook("1,000 rows that are no leads", 200, () => `[${list("{}", 1_000)}]`),
    multipart("an uploaded file of 10 MiB", 201, () => uploadedForm("%PDF-1.4 ", 10 * MIB)),
    multipart("an uploaded file of 14.9 MiB", 201, () => uploadedForm("\r\n--c\r\n", 14.9 * MIB)),
    multipart("20,000 fields", 201, () => fieldsForm(20_000)),
    multipart("290,000 fields", 413, () => fieldsForm(290_000)),
    form("20,000 fields", 201, () => `first_name=Ann&${list("a=%C5%B1", 19_999, "&")}`),
    form("4 MiB of text", 201, () => `first_name=Ann&a=${"%C5%B1".repeat(2 * MIB - KIB)}`),
    form("7.8 million fields", 413, () => list("a", 7_800_000, "&")),
    strangers("15 MiB without a proof", 401, () => `[${list("1", 7_800_000)}]`),

    importing(
      "10,000 leads",
      200,
      () => `{${target},"leads":${JSON.stringify(salesLeads(10_000))}}`,
    ),
    importing("10,000 leads of 10 MiB", 200, () => {
      const leads = salesLeads(10_000).map((lead) => ({ ...lead, address: text(750) }));
      return `{${target},"leads":${JSON.stringify(leads)}}`;
    }),
    importing(
      "10,000 rows that are no leads",
      200,
      () => `{${target},"leads":[${list(`{"external_id":"${"x".repeat(990)}"}`, 10_000)}]}`,
    ),
    importing("9.2 MiB of keys", 413, () => `{${target},"leads":[{${members(700_000)}}]}`),

    logging("64 KiB of keys", 200, () => {
      const activity = { lead_id: given.leadId, agent_id: agentId, type: "presentation_started" };
      return `${JSON.stringify(activity).slice(0, -1)},${members(6_500)}}`;
    }),
    logging("64 KiB of [", 400, () => "[".repeat(SMALL_LIMIT)),

    ...["inbound", "status"].flatMap((route) => {
      const path = `/recruiting/sms/${route}`;
      return [
        signed(path, "4,000 media", Array.from({ length: 4_000 }, (_, n) => [`MediaUrl${n}`, ""])),
        signed(path, "20,000 parameters", Array.from({ length: 20_000 }, () => ["a", ""])),
        signed(path, "60 KB of text", [["Body", "x".repeat(60_000)]]),
        {
          ...signed(path, "a forged signature", [["Body", "x".repeat(60_000)]], "forged"),
          status: 401,
        },
      ];
    }),
  ];

  function signed(
    path: string,
    name: string,
    parameters: string[][],
    token = given.twilioToken,
  ): HostileBody {
    const pairs = parameters as [string, string][];
    const values = Object.fromEntries(
      Map.groupBy(pairs, ([key]) => key).entries().map((
        [key, same],
      ) => [key, same.map(([, v]) => v)]),
    );
    const signature = getExpectedTwilioSignature(token, PUBLIC_URL + path, values);
    const headers = {
      "x-twilio-signature": signature,
      "content-type": "application/x-www-form-urlencoded",
    };
    const body = new URLSearchParams(pairs).toString();
    return { name, path, headers, make: () => body, status: 200 };
  }
}

function list(item: string, count: number, separator = ","): string {
  return `${`${item}${separator}`.repeat(count - 1)}${item}`;
}

/** A form with a name and a file of so many bytes. */
function uploadedForm(content: string, bytes: number): string {
  const file = content.repeat(bytes / content.length);
  return `--b\r\n${field("first_name")}Ann\r\n` +
    '--b\r\nContent-Disposition: form-data; name="resume"; filename="cv.pdf"\r\n\r\n' +
    `${file}\r\n--b--`;
}

/** A form with so many fields. */
function fieldsForm(count: number): string {
  return Array.from({ length: count }, (_, n) => `--b\r\n${field(n ? `k${n}` : "name")}Ann\r\n`)
    .join("") + "--b--";
}

function field(name: string): string {
  return `Content-Disposition: form-data; name="${name}"\r\n\r\n`;
}

/** So many members whose keys are all different. */
function members(count: number): string {
  return Array.from({ length: count }, (_, n) => `"k${n.toString(36)}":1`).join();
}

/** So many small objects with as many different keys as there may be. */
function objects(count: number, first = 0): string {
  return Array.from({ length: count }, (_, n) => `{"k${(first + n) % 19_000}":1}`).join();
}

function leadsOfObjects(count: number, each: number): string {
  return Array.from(
    { length: count },
    (_, n) => `{"first_name":"Ann","x":[${objects(each, n * each)}]}`,
  ).join();
}

function text(bytes: number): string {
  return PROSE.repeat(Math.ceil(bytes / PROSE.length)).slice(0, bytes);
}

function resume(bytes: number): string {
  return Buffer.alloc(bytes, "%PDF-1.4 ").toString("base64");
}

/** Applicants of so many fields, and of so many bytes where that is more. */
function applicants(fields: number, bytes = 0, count = 10_000): object[] {
  const others = Array.from({ length: fields - 6 }, (_, n) => [`question_${n}`, "yes"]);
  return Array.from({ length: count }, (_, n) => {
    const applicant = {
      vendor_lead_id: crypto.randomUUID(),
      first_name: "Ann",
      last_name: `Lee ${n}`,
      email: `ann.${n}@example.com`,
      phone: "312-555-0142",
      ...Object.fromEntries(others),
    };
    return { ...applicant, note: text(Math.max(0, bytes - JSON.stringify(applicant).length)) };
  });
}
