import assert from "node:assert/strict";
import { runToEnd } from "../mod.ts";

const LOG = new URL("log.ts", import.meta.url).href;

Deno.test("a process has logged every line, in order, however it ends", async () => {
  for (const end of ["", "Deno.exit(0);", `throw new Error("bad");`]) {
    const program = `import { logOnceATurn } from "${LOG}"; logOnceATurn();
      setTimeout(() => {
        console.log("a"); console.log("b"); console.log({ c: 1 }); console.log("d"); ${end}
      });`;
    const { out } = await runToEnd(Deno.execPath(), ["eval", "--quiet", program]);
    assert.equal(out, "a\nb\n{ c: 1 }\nd\n", end);
  }
});

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
