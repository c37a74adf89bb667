import assert from "node:assert/strict";
import { safePath } from "./safe_path.ts";

Deno.test("a path cannot leave its service, however it is written", () => {
  const cases = [
    ["/auth/v1/user?a=..&b=%2e%2e/", "/auth/v1/user?a=..&b=%2e%2e/"],
    ["/functions/v1/recruiting/sms/inbound?", "/functions/v1/recruiting/sms/inbound?"],
    ["/storage/v1/object/resumes/a%20b/..c/.d", "/storage/v1/object/resumes/a%20b/..c/.d"],
    ["/auth/v1/../../_system/info", "/_system/info"],
    ["/auth/v1/%2e%2e/%2E./_system/info", "/_system/info"],
    ["/auth/v1/..\\..\\_system/info", "/_system/info"],
    ["/auth/v1/./user#/..", "/auth/v1/user"],
    ["/auth/v1/..%2f..%2f_system/info", null],
    ["/auth/v1/%2e%2e%5c%2e%2e%5c_system/info", null],
    ["/auth/v1/%252e%252e/_system/info", null],
    ["/auth/v1/x%252f%252e%252e%252f%252e%252e", null],
    [`/auth/v1/%${"25".repeat(10_000)}2e`, null],
    ["*", null],
  ] as const;
  for (const [sent, expected] of cases) assert.equal(safePath(`http://any host${sent}`), expected, sent.slice(0, 60));
});
