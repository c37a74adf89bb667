import { Buffer } from "node:buffer";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import type { Agency } from "./agency.ts";
import { salesLeads } from "./leads.ts";
import { KIB, MIB } from "../../supabase/functions/_shared/units.ts";

/** A body that takes as much of a route as any can. */
export interface HostileBody {
  name: string;
  path: string;
  headers: Record<string, string>;
  /** Makes the body. */
  make(): string;
  /** The status of the response. */
  status: number;
}

/** What the bodies need of a stack. */
export interface Given extends Agency {
  /** A sales lead of the agency's agent. */
  leadId: string;
  importKey: string;
  anonKey: string;
  twilioToken: string;
  /** Where a webhook of the scheme `header` is, and its header. */
  webhook: { path: string; headers: Record<string, string> };
}

/** Where the functions believe to be, for signed texts. */
export const PUBLIC_URL = "https://bench.example/functions/v1";

/** The names of the largest bodies that honest senders send. */
export const USUAL_BATCHES = ["10,000 leads of 14 fields", "10,000 leads"];

const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

/** Of each route the bodies that were found to take most, one for each way in which they do. */
export function hostileBodies(given: Given): HostileBody[] {
  const { path, headers } = given.webhook;
  const multipart = { "content-type": "multipart/form-data; boundary=b" };
  const bearer = { authorization: `Bearer ${given.vendorKey}`, ...JSON_TYPE };
  const importer = { "x-api-key": given.importKey, ...JSON_TYPE };
  const target = `"agency_id":"${given.agencyId}","agent_id":"${given.agentId}"`;
  const importOf = (leads: string) => `{${target},"leads":${leads}}`;
  const activity = `"lead_id":"${given.leadId}","agent_id":"${given.agentId}"`;
  return [
    ...on("/recruiting/ingest", bearer, {
      "a resume of 10 MiB": [201, () => lead(`"resume":"${resume(10 * MIB)}"`)],
      "a resume of 10 MiB of text": [201, () => lead(`"resume":"${resume(10 * MIB, "Zürich ")}"`)],
      "a file of 2,000,000 numbers": [201, () => lead(`"x":[${list("255", 2e6)}]`)],
      "100,000 values": [201, () => lead(`"x":[${objects(49_990)}]`)],
      "100,000 numbers": [201, () => lead(`"x":[${list("1.1234567890123456789", 99_990)}]`)],
      "4 MiB of text": [201, () => lead(`"x":"${text(4 * MIB - KIB)}ж"`)],
      "13.8 MiB of keys": [413, () => lead(members(1_050_000))],
      "14.9 MiB of [1,1,…]": [413, () => `[${list("1", 7_800_000)}]`],
      "15 MiB of [": [400, () => "[".repeat(15 * MIB)],
    }),
    ...on("/recruiting/ingest/bulk", bearer, {
      "10,000 leads of 14 fields": [200, () => `{"leads":${applicants(10_000, 14)}}`],
      "10,000 leads of 10 MiB": [200, () => `{"leads":${applicants(10_000, 14, 1_000)}}`],
      "260,000 values in one lead": [200, () => `{"leads":[${lead(`"x":[${objects(129_000)}]`)}]}`],
      "260,000 values in 10,000 leads": [200, () => `{"leads":[${leadsOfObjects(10_000, 11)}]}`],
      "9.2 MiB of keys": [413, () => `{"leads":[{${members(700_000)}}]}`],
    }),
    ...on(path, { ...headers, ...JSON_TYPE }, {
      "a resume of 10 MiB": [201, () => lead(`"resume":"${resume(10 * MIB)}"`)],
      "1,000 leads of 4 MiB": [200, () => applicants(1_000, 24, 4_000)],
    }),
    ...on(path, { ...headers, ...multipart }, {
      "an uploaded file of 14.9 MiB": [201, () => uploadedForm("\r\n--c\r\n", 14.9 * MIB)],
      "290,000 fields": [413, () => fieldsForm(290_000)],
    }),
    ...on(path, { ...headers, ...FORM_TYPE }, {
      "20,000 fields": [201, () => `first_name=Ann&${list("a=%C5%B1", 19_999, "&")}`],
      "4 MiB of text": [201, () => `first_name=Ann&a=${"%C5%B1".repeat(2 * MIB - KIB)}`],
      "7.8 million fields": [413, () => list("a", 7_800_000, "&")],
    }),
    ...on(path, JSON_TYPE, {
      "15 MiB without a proof": [401, () => `[${list("1", 7_800_000)}]`],
    }),
    ...on("/api/leads/import", importer, {
      "10,000 leads": [200, () => importOf(JSON.stringify(salesLeads(10_000)))],
      "10,000 leads of 10 MiB": [200, () => {
        return importOf(JSON.stringify(
          salesLeads(10_000).map((lead) => ({ ...lead, address: text(750) })),
        ));
      }],
      "10,000 rows that are no leads": [200, () => {
        return importOf(`[${list(`{"external_id":"${"x".repeat(990)}"}`, 10_000)}]`);
      }],
      "9.2 MiB of keys": [413, () => importOf(`[{${members(700_000)}}]`)],
    }),
    ...on("/api/leads/log-presentation-activity", { apikey: given.anonKey, ...JSON_TYPE }, {
      "64 KiB of keys": [
        200,
        () => `{${activity},"type":"presentation_started",${members(6_500)}}`,
      ],
    }),
    ...["inbound", "status"].flatMap((route) => {
      const path = `/recruiting/sms/${route}`;
      const media = Array.from({ length: 4_000 }, (_, n) => [`MediaUrl${n}`, ""]);
      const body = [["Body", "x".repeat(60_000)]];
      return [
        ...signed(given.twilioToken, path, "4,000 media", media, 200),
        ...signed(given.twilioToken, path, "20,000 parameters", Array(20_000).fill(["a", ""]), 200),
        ...signed("forged", path, "a forged signature", body, 401),
      ];
    }),
  ];
}

function on(
  path: string,
  headers: Record<string, string>,
  bodies: Record<string, [status: number, make: () => string]>,
): HostileBody[] {
  return Object.entries(bodies)
    .map(([name, [status, make]]) => ({ name, path, headers, make, status }));
}

function signed(token: string, path: string, name: string, pairs: string[][], status: number) {
  const values = Object.fromEntries(
    Map.groupBy(pairs, ([key]) => key!).entries()
      .map(([key, same]) => [key, same.map(([, value]) => value!)]),
  );
  const signature = getExpectedTwilioSignature(token, PUBLIC_URL + path, values);
  const body = new URLSearchParams(pairs).toString();
  return on(path, { "x-twilio-signature": signature, ...FORM_TYPE }, {
    [name]: [status, () => body],
  });
}

function lead(members: string): string {
  return `{"first_name":"Ann",${members}}`;
}

function list(item: string, count: number, separator = ","): string {
  return `${`${item}${separator}`.repeat(count - 1)}${item}`;
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
  return Array.from({ length: count }, (_, n) => lead(`"x":[${objects(each, n * each)}]`)).join();
}

function text(bytes: number): string {
  const prose = "Sold life insurance. ";
  return prose.repeat(Math.ceil(bytes / prose.length)).slice(0, bytes);
}

function resume(bytes: number, content = "%PDF-1.4 "): string {
  return Buffer.alloc(bytes, content, "latin1").toString("base64");
}

/** A JSON array of applicants of so many fields, and of so many bytes where that is more. */
function applicants(count: number, fields: number, bytes = 0): string {
  const others = Array.from({ length: fields - 6 }, (_, n) => [`question_${n}`, "yes"]);
  return JSON.stringify(Array.from({ length: count }, (_, n) => {
    const applicant = {
      vendor_lead_id: crypto.randomUUID(),
      first_name: "Ann",
      last_name: `Lee ${n}`,
      email: `ann.${n}@example.com`,
      phone: "312-555-0142",
      ...Object.fromEntries(others),
    };
    return { ...applicant, note: text(Math.max(0, bytes - JSON.stringify(applicant).length)) };
  }));
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
