import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { DotSeparated } from "./dot_separated.tsx";

Deno.test("a dot stands between what is there, and none for what is not", () => {
  const line = (
    <DotSeparated>
      one{""}
      {false}
      {null}
      <b>two</b>three
    </DotSeparated>
  );
  assert.equal(renderToStaticMarkup(line), "one · <b>two</b> · three");
});
