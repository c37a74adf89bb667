import assert from "node:assert/strict";
import { readableLine } from "./terminal.ts";

const time = "2027-01-31T08:09:10.123Z";
const request = { level: "info", time, request_id: "r", method: "POST", route: "/api", vendor_id: "v" };
const clock = new Date(time).toTimeString().slice(0, 8);

for (
  const [logged, expected] of [
    [
      { ...request, status: 201, duration_ms: 11.6, lead_status: "new", code: null },
      `${clock} POST /api 201 12 ms lead_status=new`,
    ],
    [
      { ...request, status: 400, duration_ms: 3, code: "X" },
      `${clock} POST /api 400 3 ms code=X vendor_id=v request_id=r`,
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
