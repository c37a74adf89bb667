import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { DOCUMENTS } from "../../supabase/functions/recruiting/resumes/fixtures/documents.ts";
import { application, downloadFile, ingest } from "../support/applications.ts";
import { assertResponse, createVendor, stack, storedLeads, storedResumes } from "../support/client.ts";

Deno.test("a resume of each type is stored under its own name and type, whatever the vendor says of it", async () => {
  const vendor = await createVendor("indeed");
  for (const [ending, { mediaType, bytes }] of Object.entries(DOCUMENTS)) {
    const data = Buffer.from(bytes).toString("base64");
    const file = { contentType: "image/png", data, fileName: "cv.exe" };
    const { id } = assertResponse(await ingest(vendor, application(ending, file)), 201);
    const lead = (await storedLeads(vendor)).find((lead) => lead.id === id)!;
    assert.equal(lead.resume_path, `${vendor.id}/${id}.${ending}`);
    assert.equal(lead.vendor_metadata.resume_skipped, undefined);
    assert.deepEqual(await downloadFile(lead.resume_path), { type: mediaType, bytes: new Uint8Array(bytes) });
  }
  assert.equal((await storedResumes(vendor)).length, Object.keys(DOCUMENTS).length);
});

Deno.test("a resume that cannot be stored costs no lead, which says why, and a URL is kept as it is", async () => {
  const url = `${stack.api_url}/health?resume`;
  const vendor = await createVendor();
  for (
    const [resume, metadata] of [
      ["Please see my website!", { resume_skipped: "not_base64" }],
      [{ a: ["b"] }, { resume_skipped: "not_base64" }],
      ["iVBORw0KGgo=", { resume_skipped: "image/png" }],
      [url, { resume_url: url }],
    ] as const
  ) {
    const sent = { first_name: "A", resume };
    const dry = assertResponse(await ingest(vendor, sent, "?dry_run=true"), 200);
    assert.equal(dry.lead.resume_bytes, null);
    assert.partialDeepStrictEqual(dry.lead.vendor_metadata, metadata);
    const { id } = assertResponse(await ingest(vendor, sent), 201);
    const lead = (await storedLeads(vendor)).find((lead) => lead.id === id)!;
    assert.equal(lead.resume_path, null);
    assert.partialDeepStrictEqual(lead.vendor_metadata, metadata);
  }
  assert.equal((await storedResumes(vendor)).length, 0);
});
