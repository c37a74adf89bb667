/** Every command in docs/texting.md does what the page says. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { examplesIn, paste, readPage, ROOT, variablesSetBy } from "../support/docs.ts";
import { double, work } from "./texts.ts";

const RECRUIT = "+13125550121";

Deno.test("every command in docs/texting.md does what it says", async () => {
  // Inside the checkout, because npm looks for package.json upwards.
  const folder = await Deno.makeTempDir({ dir: fileURLToPath(ROOT), prefix: ".local-docs-" });
  try {
    const [setup, receive, reply, log] = examplesIn(readPage("docs/texting.md"))
      .map(({ command }) => command);
    const env = await variablesSetBy(setup!, folder, {});
    await paste(receive!, folder, env);
    const { status } = JSON.parse(await paste(reply!, folder, env));
    assert.equal(status, "queued");
    await work();
    const shown = JSON.parse(
      await paste(log!.replace("http://127.0.0.1:54330", double.url), folder, env),
    );
    const sent = shown.messages.filter(({ to }: { to: string }) => to === RECRUIT);
    assert.deepEqual(sent.map(({ body }: { body: string }) => body), [
      "It is. When could we talk?",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
