import assert from "node:assert/strict";
import { MISSING_FIRST_NAME, readLead } from "./lead.ts";
import { success } from "../../_shared/result.ts";

Deno.test("a lead without a name is refused in the words of private.lead_problem()", () => {
  const { error } = readLead(() => success({ vendor_metadata: {} }), {});
  assert.equal(error, MISSING_FIRST_NAME);
  const schema = Deno.readTextFileSync(new URL("../../../schemas/recruiting/store.sql", import.meta.url));
  assert(schema.includes(`then '${MISSING_FIRST_NAME}'`));
});
