import assert from "node:assert/strict";
import { readableLine } from "./terminal.ts";

const time = "2027-01-31T08:09:10.123Z";
const clock = new Date(time).toTimeString().slice(0, 8);

for (
  const [logged, expected] of [
    [
      {
        level: "info",
        time,
        request_id: "r",
        method: "POST",
        route: "/recruiting/ingest",
        status: 201,
        duration_ms: 11.6,
        vendor_id: "v",
        lead_status: "created",
        code: null,
      },
      `${clock} POST /recruiting/ingest 201 12 ms lead_status=created`,
    ],
    [
      {
        level: "info",
        time,
        request_id: "r",
        method: "POST",
        route: "/recruiting/ingest",
        status: 400,
        duration_ms: 3,
        vendor_id: "v",
        code: "BAD_REQUEST",
      },
      `${clock} POST /recruiting/ingest 400 3 ms code=BAD_REQUEST vendor_id=v request_id=r`,
    ],
    [
      { level: "error", time, request_id: "r", event: "sms_not_stored" },
      `${clock} error event=sms_not_stored request_id=r`,
    ],
  ] as const
) {
  Deno.test(`a log line for a person: ${expected.slice(clock.length + 1)}`, () => {
    assert.equal(readableLine(JSON.stringify(logged)), expected);
  });
}

Deno.test("what a function prints by itself stays as it is", () => {
  for (const line of ["hello", "", "{ not JSON", "[1]"]) assert.equal(readableLine(line), line);
});
