import assert from "node:assert/strict";
import { testPage } from "../support/docs.ts";
import { double, work } from "./texts.ts";

const RECRUIT = "+13125550121";
const LOG = "curl -sS http://127.0.0.1:54330/double/log";

testPage("docs/texting.md", {
  rewrite: (command) => command.replace("http://127.0.0.1:54330", double.url),
  before: { [LOG]: work },
  after: {
    [LOG]: (printed) => {
      const sent = JSON.parse(printed).messages.filter(({ to }: { to: string }) => to === RECRUIT);
      assert.deepEqual(sent.map(({ body }: { body: string }) => body), ["It is. When could we talk?"]);
    },
  },
});
