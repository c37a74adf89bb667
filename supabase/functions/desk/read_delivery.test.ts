import assert from "node:assert/strict";
import { readDelivery } from "./read_delivery.ts";

const VENDOR = {
  slug: "acme",
  parser: "mapping",
  parser_config: { fields: { first_name: "who", resume: { data: "cv" } } },
};
const SINGLE = { route: "/recruiting/ingest", row: null, payload_json: '{"who": "Ida"}' };

Deno.test("a lead whose file was not kept is read without it, and says so", () => {
  const payload_json = '{"who": "Ida", "cv": {"type": "application/pdf", "bytes": 5000}}';
  const { data } = readDelivery({ ...SINGLE, payload_json }, VENDOR);
  assert.partialDeepStrictEqual(data?.lead, { first_name: "Ida", vendor_metadata: { resume_skipped: "replay" } });
});

for (
  const [delivery, vendor, reason] of [
    [{ payload_json: null }, VENDOR, "only the beginning of what was sent is kept, so it must be sent again"],
    [{ route: "/recruiting/ingest/bulk" }, VENDOR, "it is a whole request of several leads, which must be sent again"],
    [{ payload_json: "[{}]" }, VENDOR, "it is a whole request of several leads, which must be sent again"],
    [{ route: "/api/leads/import" }, undefined, "it is a whole request of several leads, which must be sent again"],
    [{}, { ...VENDOR, parser: null }, "the vendor acme has no parser"],
  ] as const
) {
  Deno.test(`a delivery that cannot be a lead says why: ${JSON.stringify(delivery)}`, () => {
    assert.equal(readDelivery({ ...SINGLE, ...delivery }, vendor).error, reason);
  });
}
