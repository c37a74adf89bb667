import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { eventually, listen } from "../../../e2e/support/processes.ts";
import { freePorts } from "../../local/mod.ts";

Deno.test("npm run receiver prints what arrives, and whether its signature is right", async () => {
  const [port] = freePorts(1) as [number];
  const secret = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;
  const args = ["run", "--silent", "receiver", "--", "--port", String(port), "--secret", secret];
  const program = await listen("npm", args, {}, port);
  try {
    const deliver = async (id: string, signedBy: string) => {
      const body = JSON.stringify({ type: "lead.distributed" });
      const now = new Date();
      const headers = {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
        "webhook-signature": new Webhook(signedBy).sign(id, now, body),
      };
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body });
      await response.body?.cancel();
      return response.status;
    };
    assert.equal(await deliver("one", secret), 204);
    assert.equal(await deliver("two", `whsec_${btoa("fedcba9876543210fedcba9876543210")}`), 401);
    await eventually(5, () => {
      assert.match(program.printed(), /^one: verified\n\{\n {2}"type": "lead.distributed"\n\}$/m);
      assert.match(program.printed(), /^two: NOT verified$/m);
    });
  } finally {
    await program.stop();
  }
});
