import assert from "node:assert/strict";
import { join } from "node:path";
import { prepareLogs } from "./part_log.ts";

Deno.test("the logs of the ten starts before are kept, oldest out first", async () => {
  const folder = join(Deno.makeTempDirSync(), "logs");
  try {
    for (let start = 0; start < 13; start++) {
      prepareLogs(folder);
      // Starts are told apart by the times of their files, which the system may keep to a few milliseconds only.
      await new Promise((resolve) => setTimeout(resolve, 20));
      Deno.writeTextFileSync(join(folder, "gateway.log"), `start ${start}`);
    }
    assert.equal(Deno.readTextFileSync(join(folder, "gateway.log")), "start 12");
    const earlier = Array.from(Deno.readDirSync(join(folder, "earlier")), ({ name }) => name)
      .sort().map((name) => Deno.readTextFileSync(join(folder, "earlier", name, "gateway.log")));
    assert.deepEqual(earlier, Array.from({ length: 10 }, (_, n) => `start ${n + 2}`));
  } finally {
    Deno.removeSync(join(folder, ".."), { recursive: true });
  }
});
