import assert from "node:assert/strict";
import { runToEnd } from "../mod.ts";

const LOG = new URL("log.ts", import.meta.url).href;

for (
  const [how, code] of [
    ["by itself", ""],
    ["by exit", "Deno.exit(0);"],
    ["by an error", `throw new Error("bad");`],
  ]
) {
  Deno.test(`a process that ends ${how} has logged every line, in order`, async () => {
    const program = `import { logOnceATurn } from "${LOG}"; logOnceATurn();
      setTimeout(() => {
        console.log("a"); console.log("b"); console.log({ c: 1 }); console.log("d"); ${code}
      });`;
    const { out } = await runToEnd(Deno.execPath(), ["eval", "--quiet", program]);
    assert.equal(out, "a\nb\n{ c: 1 }\nd\n");
  });
}

Deno.test("what is logged in one turn is one write", async () => {
  const program = `import { logOnceATurn } from "${LOG}"; logOnceATurn();
    const write = Deno.stdout.writeSync; let writes = 0;
    Deno.stdout.writeSync = (bytes) => { writes++; return write.call(Deno.stdout, bytes); };
    for (let i = 0; i < 1_000; i++) console.log("a line that is as long as those of the functions are");
    setTimeout(() => console.error(String(writes)));`;
  const { out, err } = await runToEnd(Deno.execPath(), ["eval", "--quiet", program]);
  assert.equal(out.split("\n").length, 1_001);
  assert.equal(err.trim(), "1");
});
