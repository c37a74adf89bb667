import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { application, downloadResume, ingest, PDF_BASE64 } from "./applications.ts";
import { assertError, createVendor, PDF, stack, storedLeads, storedResumes } from "./client.ts";

Deno.test("a resume of more than 10 MiB is PAYLOAD_TOO_LARGE and stores nothing", async () => {
  const vendor = await createVendor();
  const large = new Uint8Array(10 * 1024 * 1024 + 1);
  large.set(PDF);
  const response = await ingest(vendor, {
    first_name: "A",
    resume: Buffer.from(large).toString("base64"),
  });
  assertError(response, 413, "PAYLOAD_TOO_LARGE", /resume/);
  assert.equal((await storedLeads(vendor)).length, 0);
  assert.equal((await storedResumes(vendor)).length, 0);
});

Deno.test("a resume of 10 MiB is stored whole", async () => {
  const vendor = await createVendor();
  const large = new Uint8Array(10 * 1024 * 1024);
  large.set(PDF);
  const { status } = await ingest(vendor, {
    first_name: "A",
    resume: Buffer.from(large).toString("base64"),
  });
  assert.equal(status, 201);
  const [{ resume_path }] = await storedLeads(vendor) as unknown as [{ resume_path: string }];
  assert.equal((await downloadResume(resume_path)).length, large.length);
});

for (
  const [what, resume] of [
    ["unpadded base64", PDF_BASE64.replace(/=+$/, "")],
    ["base64 padded too much", PDF_BASE64.replace(/=+$/, "") + "===="],
    ["URL-safe base64", Buffer.from(PDF).toString("base64url")],
    ["base64 in lines", PDF_BASE64.replace(/.{76}/g, "$&\r\n")],
    ["a data: URL", `data:application/pdf;base64,${PDF_BASE64}`],
    ["a data: URL with a name", `data:application/pdf;name=cv.pdf;base64,${PDF_BASE64}`],
  ] as const
) {
  Deno.test(`a resume as ${what} is stored`, async () => {
    const vendor = await createVendor();
    assert.equal((await ingest(vendor, { first_name: "A", resume })).status, 201);
    const [lead] = await storedLeads(vendor);
    assert.deepEqual(await downloadResume(lead!.resume_path), PDF);
  });
}

Deno.test("a lead with a resume of another type is stored without it, and says so", async () => {
  const vendor = await createVendor("indeed");
  const file = { contentType: "text/plain", data: btoa("my life"), fileName: "cv.txt" };
  assert.equal((await ingest(vendor, application("txt", file))).status, 201);
  const [lead] = await storedLeads(vendor);
  assert.equal(lead!.resume_path, null);
  assert.equal(lead!.vendor_metadata.resume_skipped, "text/plain");
  assert.equal((await storedResumes(vendor)).length, 0);
});

Deno.test("a resume that is a URL is kept as a URL and never fetched", async () => {
  const vendor = await createVendor();
  const url = `${stack.api_url}/health?resume`;
  assert.equal((await ingest(vendor, { first_name: "A", resume: url })).status, 201);
  const [lead] = await storedLeads(vendor);
  assert.equal(lead!.vendor_metadata.resume_url, url);
  assert.equal(lead!.resume_path, null);
});
