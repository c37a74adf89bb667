import assert from "node:assert/strict";
import { matchesSecret, namedSecretsFromEnv, secretsFromEnv, sha256Hex } from "./secrets.ts";

const NAME = "SECRETS_TEST";

function readWith(value: string | undefined, read: (name: string) => string[]): string[] {
  if (value !== undefined) Deno.env.set(NAME, value);
  const secrets = read(NAME);
  Deno.env.delete(NAME);
  return secrets;
}

Deno.test("a comma-separated variable has several secrets; unset or blank, it has none", () => {
  for (const none of [undefined, " , "]) assert.deepEqual(readWith(none, secretsFromEnv), []);
  assert.deepEqual(readWith("new, old ,", secretsFromEnv), ["new", "old"]);
});

Deno.test("a variable with a JSON object has named secrets; unset or blank, it has none", () => {
  for (const none of [undefined, ""]) assert.deepEqual(readWith(none, namedSecretsFromEnv), []);
  for (
    const named of [
      '{"default": "one", "mobile": "two"}',
      '{"mobile": "two", "default": " one ", "blank": "", "none": null}',
    ]
  ) assert.deepEqual(readWith(named, namedSecretsFromEnv), ["one", "two"]);
});

Deno.test("an invalid variable yields no secrets; the log contains its name but not its value", () => {
  const { error } = console;
  try {
    for (const malformed of ["sb_secret_x", '"sb_secret_x"', '["sb_secret_x"]', "null", "{"]) {
      const lines: string[] = [];
      console.error = (line: string) => lines.push(line);
      assert.deepEqual(readWith(malformed, namedSecretsFromEnv), []);
      assert.equal(lines.length, 1);
      assert.match(lines[0]!, /SECRETS_TEST/);
      assert(!lines[0]!.includes("sb_secret"));
    }
  } finally {
    console.error = error;
  }
});

Deno.test("a text matches if it equals one of the secrets; without secrets, nothing matches", () => {
  assert(matchesSecret("old", ["new", "old"]));
  for (const wrong of ["", "ol", "olds", "OLD"]) assert(!matchesSecret(wrong, ["new", "old"]));
  assert(!matchesSecret("", []));
});

Deno.test("SHA-256 in lower-case hex (FIPS 180-4 example)", () => {
  assert.equal(sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
