import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { DOCUMENTS, zip } from "../../supabase/functions/recruiting/resumes/fixtures/documents.ts";
import { application, downloadFile, downloadResume, ingest, PDF_BASE64 } from "../support/applications.ts";
import { assertResponse, createVendor, PDF, stack, storedLeads, storedResumes } from "../support/client.ts";
import { readPage } from "../support/docs.ts";

for (const [ending, { mediaType, bytes }] of Object.entries(DOCUMENTS)) {
  Deno.test(`a resume .${ending} is stored under its own name and type, whatever the vendor says of it`, async () => {
    const vendor = await createVendor("indeed");
    const data = Buffer.from(bytes).toString("base64");
    const file = { contentType: "image/png", data, fileName: "cv.exe" };
    const { id } = assertResponse(await ingest(vendor, application(ending, file)), 201);
    const [lead] = await storedLeads(vendor);
    const { resume_path, vendor_metadata } = lead!;
    assert.equal(resume_path, `${vendor.id}/${id}.${ending}`);
    assert.equal(vendor_metadata.resume_skipped, undefined);
    assert.deepEqual(await storedResumes(vendor), [resume_path]);
    const stored = { type: mediaType, bytes: new Uint8Array(bytes) };
    assert.deepEqual(await downloadFile(resume_path), stored);
  });
}

const base64 = (content: string | Uint8Array) => Buffer.from(content).toString("base64");
const OVER_10_MIB = Buffer.alloc(10 * 1024 * 1024 + 1, "%PDF-1.4 ").toString("base64");
const SKIPPED: [what: string, resume: unknown, reason: string][] = [
  ["is not base64", "Please see my website!", "not_base64"],
  ["is a number", 7, "not_base64"],
  ["is an object", { a: ["b"] }, "not_base64"],
  ["has more than 10 MiB", OVER_10_MIB, "too_large"],
  ["is an image", "iVBORw0KGgo=", "image/png"],
  ["is a web page", base64("<!doctype html><script>alert(1)</script>"), "text/html"],
  ["is JSON", base64('{"error": "not found"}'), "application/json"],
  ["is an archive", base64(zip({ "cv.pdf": DOCUMENTS.pdf!.bytes })), "application/zip"],
  ["is nothing known", "AAECAwQ=", "unknown"],
];
for (const [what, resume, reason] of SKIPPED) {
  Deno.test(`a resume that ${what} costs no lead, which says ${reason}`, async () => {
    const vendor = await createVendor();
    const sent = { first_name: "A", resume };
    const dry = await ingest(vendor, sent, "?dry_run=true");
    assert.deepEqual([dry.status, dry.body.lead.resume_bytes], [200, null]);
    assert.equal(dry.body.lead.vendor_metadata.resume_skipped, reason);
    assert.equal((await ingest(vendor, sent)).status, 201);
    const [lead] = await storedLeads(vendor);
    assert.equal(lead!.resume_path, null);
    assert.equal(lead!.vendor_metadata.resume_skipped, reason);
    assert.equal((await storedResumes(vendor)).length, 0);
  });
}

Deno.test("docs/parsers.md names no other reason for which a resume is skipped", () => {
  const [, reasons] = /`resume_skipped` then gives the reason: (.+?\.)\s+A value/s.exec(
    readPage("docs/parsers.md"),
  )!;
  const named = Array.from(reasons!.matchAll(/`([^`]+)`/g), ([, reason]) => reason!);
  assert(named.length > 0);
  // Those two are shown by e2e/routes/ingest_bulk.test.ts and e2e/admin/delivery.test.ts.
  const shown = [...SKIPPED.map(([, , reason]) => reason), "bulk", "replay"];
  assert.deepEqual(named.filter((reason) => !shown.includes(reason)), []);
});

const { doc } = DOCUMENTS;
Deno.test("of several resumes the first is stored, and resume_skipped names the others", async () => {
  const vendor = await createVendor();
  const image = Buffer.alloc(5_000, "image").toString("base64");
  const sent = {
    first_name: "A",
    resume: [
      PDF_BASE64,
      { filename: "b.doc", content_type: "application/msword", data: base64(doc!.bytes) },
      `data:image/png;base64,${image}`,
      "see my site",
    ],
  };
  const others = `another application/msword of ${doc!.bytes.length} bytes; ` +
    "another image/png of 5000 bytes";
  assert.equal((await ingest(vendor, sent)).status, 201);
  const [lead] = await storedLeads(vendor);
  assert.deepEqual(await downloadResume(lead!.resume_path), new Uint8Array(PDF));
  assert.deepEqual(lead!.vendor_metadata, {
    resume_skipped: others,
    vendor_fields: { resume: [null, { filename: "b.doc", content_type: "application/msword" }, null, "see my site"] },
  });
});

Deno.test("a resume that is a URL is kept as a URL and never fetched", async () => {
  const vendor = await createVendor();
  const url = `${stack.api_url}/health?resume`;
  assert.equal((await ingest(vendor, { first_name: "A", resume: url })).status, 201);
  const [lead] = await storedLeads(vendor);
  assert.equal(lead!.vendor_metadata.resume_url, url);
  assert.equal(lead!.resume_path, null);
});
