import assert from "node:assert/strict";
import { alertReceiver } from "./settings.ts";

const URL = "https://hooks.example/T0";
const SECRETS = ["0123456789abcdef01234567", "another secret of 24 bytes or more"].map((key) => `whsec_${btoa(key)}`);

function receiverOf(settings: Record<string, string>) {
  const names = ["ALERT_WEBHOOK_URL", "ALERT_WEBHOOK_SECRET", "DESK_URL"];
  for (const name of names) Deno.env.set(name, settings[name] ?? "");
  try {
    return alertReceiver();
  } finally {
    for (const name of names) Deno.env.delete(name);
  }
}

Deno.test("the receiver of alerts has its URL, each of its secrets, and the desk's page", () => {
  assert.equal(receiverOf({}), null);
  assert.deepEqual(receiverOf({ ALERT_WEBHOOK_URL: ` ${URL} ` }), { url: URL, secrets: [], link: null });
  assert.deepEqual(receiverOf({ ALERT_WEBHOOK_URL: "http://localhost/a", ALERT_WEBHOOK_SECRET: SECRETS.join(", ") }), {
    url: "http://localhost/a",
    secrets: SECRETS,
    link: null,
  });
  for (const desk of ["https://desk.example", "https://desk.example/"]) {
    assert.equal(receiverOf({ ALERT_WEBHOOK_URL: URL, DESK_URL: desk })!.link, "https://desk.example/#/operator");
  }
});

Deno.test("a wrong setting is named, and its value is not shown", () => {
  const url = "must be an https URL without a user name, or an http URL of localhost or 127.0.0.1";
  const secret = "must be whsec_ and 24 to 64 bytes in base64";
  for (
    const [name, value, problem] of [
      ["ALERT_WEBHOOK_URL", "hooks.example/T0", url],
      ["ALERT_WEBHOOK_URL", "http://hooks.example/T0", url],
      ["ALERT_WEBHOOK_URL", "https://user:private@hooks.example/T0", url],
      ["ALERT_WEBHOOK_URL", "ftp://127.0.0.1/T0", url],
      ["DESK_URL", "desk.example", url],
      ["ALERT_WEBHOOK_SECRET", "private", secret],
      ["ALERT_WEBHOOK_SECRET", "whsec_cHJpdmF0ZQ==", secret],
      ["ALERT_WEBHOOK_SECRET", `${SECRETS[0]},whsec_`, secret],
    ] as const
  ) {
    const message = `${name} ${problem}`;
    assert.throws(() => receiverOf({ ALERT_WEBHOOK_URL: URL, [name]: value }), { name: "ConfigurationError", message });
  }
});
