import assert from "node:assert/strict";
import { matchesSecret, namedSecretsFromEnv, secretsFromEnv, sha256Hex } from "./secrets.ts";

Deno.test("a comma-separated variable has several secrets; unset or blank, it has none", () => {
  const name = "SECRETS_TEST";
  Deno.env.delete(name);
  assert.deepEqual(secretsFromEnv(name), []);
  Deno.env.set(name, " , ");
  assert.deepEqual(secretsFromEnv(name), []);
  Deno.env.set(name, "new, old ,");
  assert.deepEqual(secretsFromEnv(name), ["new", "old"]);
  Deno.env.delete(name);
});

Deno.test("a variable with a JSON object has named secrets; unset or blank, it has none", () => {
  const name = "SECRETS_TEST";
  Deno.env.delete(name);
  assert.deepEqual(namedSecretsFromEnv(name), []);
  Deno.env.set(name, "");
  assert.deepEqual(namedSecretsFromEnv(name), []);
  Deno.env.set(name, '{"default": "one", "mobile": "two"}');
  assert.deepEqual(namedSecretsFromEnv(name), ["one", "two"]);
  Deno.env.set(name, '{"mobile": "two", "default": " one ", "blank": "", "none": null}');
  assert.deepEqual(namedSecretsFromEnv(name), ["one", "two"]);
  Deno.env.delete(name);
});

Deno.test("a variable that is not such an object has no secrets; the log has its name but not its value", () => {
  const name = "SECRETS_TEST";
  const { error } = console;
  try {
    for (const malformed of ["sb_secret_x", '"sb_secret_x"', '["sb_secret_x"]', "null", "{"]) {
      const lines: string[] = [];
      console.error = (line: string) => lines.push(line);
      Deno.env.set(name, malformed);
      assert.deepEqual(namedSecretsFromEnv(name), []);
      assert.equal(lines.length, 1);
      assert.match(lines[0]!, /SECRETS_TEST/);
      assert(!lines[0]!.includes("sb_secret"));
    }
  } finally {
    console.error = error;
    Deno.env.delete(name);
  }
});

Deno.test("a text matches if it is one of the secrets; without secrets nothing matches", () => {
  assert(matchesSecret("old", ["new", "old"]));
  for (const wrong of ["", "ol", "olds", "OLD"]) assert(!matchesSecret(wrong, ["new", "old"]));
  assert(!matchesSecret("", []));
});

Deno.test("SHA-256 in lower-case hex (FIPS 180-4 example)", () => {
  assert.equal(
    sha256Hex("abc"),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});
