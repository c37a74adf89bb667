import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Part, Supervisor } from "./supervisor.ts";

/** The messages of a supervisor while it keeps a part alive, which is a shell script. */
async function keep(
  script: string,
  isReady: (folder: string) => boolean,
  isOver: (said: string[], reason: string | undefined) => boolean,
): Promise<{ said: string[]; reason: string | undefined }> {
  const folder = Deno.makeTempDirSync({ prefix: "lead-intake-" });
  const said: string[] = [];
  let reason: string | undefined;
  const supervisor = new Supervisor(folder, { say: (text) => said.push(text), giveUp: (given) => reason = given });
  const part: Part = {
    name: "part",
    command: "sh",
    args: ["-c", script],
    cwd: folder,
    isReady: () => Promise.resolve(isReady(folder)),
  };
  try {
    await supervisor.start(part);
    const deadline = Date.now() + 30_000;
    while (!isOver(said, reason) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 25));
    return { said, reason };
  } finally {
    await supervisor.stop();
    Deno.removeSync(folder, { recursive: true });
  }
}

const backs = (said: string[]) => said.filter((text) => text === "part is back.").length;

Deno.test("a part that was ready each time is started again, however often it ends", async () => {
  const { said, reason } = await keep(
    "touch ready; sleep 0.2; rm ready; exit 1",
    (folder) => existsSync(join(folder, "ready")),
    (said, reason) => backs(said) >= 6 || reason !== undefined,
  );
  assert.deepEqual([reason, backs(said)], [undefined, 6]);
});

Deno.test("a part that cannot become ready is given up, with its last words", async () => {
  const { said, reason } = await keep(
    "[ -e broken ] && { echo no such table; exit 3; }; touch ready; sleep 0.2; rm ready; touch broken; exit 1",
    (folder) => existsSync(join(folder, "ready")),
    (_, reason) => reason !== undefined,
  );
  assert.match(
    reason!,
    /^part ended with code 3\..*\n {2}no such table\npart could not become ready 5 times in a row\.$/s,
  );
  assert.equal(backs(said), 0);
});

Deno.test("a part that becomes ready late begins to count anew", async () => {
  // Four times it fails, then it is ready once, and so on.
  const { said, reason } = await keep(
    `n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n
     [ $((n % 5)) -eq 0 ] || exit 3
     touch ready; sleep 0.2; rm ready; exit 1`,
    (folder) => existsSync(join(folder, "ready")),
    (said, reason) => backs(said) >= 2 || reason !== undefined,
  );
  assert.deepEqual([reason, backs(said)], [undefined, 2]);
});
