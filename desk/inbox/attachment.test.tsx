import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import type { MediaCopy } from "../data/messages.ts";
import { Attachment } from "./attachment.tsx";

function shown(copy?: MediaCopy): string {
  const file = { url: "https://api.twilio.com/Media/1", content_type: "image/jpeg" };
  const html = renderToStaticMarkup(<Attachment file={file} copy={copy} number={1} sender="Maya" />);
  return html.replace(/<[^>]+>/g, "");
}

Deno.test("a file of a recruit is its copy, or says why there is none", () => {
  const failed = (reason: string) => shown({ position: 0, state: "failed", reason });
  assert.equal(shown(), "A file (image/jpeg) that this page cannot show");
  assert.equal(shown({ position: 0, state: "waiting" }), "A file (image/jpeg) that is being fetched");
  assert.equal(failed("too_large"), "The file (image/jpeg) could not be kept: it has more than 5 MB.");
  assert.match(failed("type"), /: it is no picture, video, sound, PDF or contact\.$/);
  assert.match(failed("gone"), /: the provider does not have it any more\.$/);
  assert.match(failed("HTTP 500"), /: the provider did not give it\.$/);
  const copied = (content_type: string) => shown({ position: 0, state: "copied", path: "x", content_type });
  assert.equal(copied("application/pdf"), "Download the file (application/pdf)");
  assert.equal(copied("image/png"), "Show picture 1");
});
