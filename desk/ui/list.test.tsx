import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { List } from "./list.tsx";

const NEVER = { error: null, refetch() {} };

function htmlOf(
  data: string[],
  paged: { hasNextPage?: boolean; isPlaceholderData?: boolean } = {},
): string {
  return renderToStaticMarkup(
    <List
      query={{ ...NEVER, data, isFetchingNextPage: false, fetchNextPage() {}, hasNextPage: false, ...paged }}
      resource="names"
      empty="Nobody."
      keyOf={(name) => name}
      row={(name) => <li>{name}</li>}
    />,
  );
}

Deno.test("a list has its rows, and a button while there are more", () => {
  const html = htmlOf(["Maya"], { hasNextPage: true });
  assert.match(html, /<ul class="rows" aria-busy="false"><li>Maya<\/li><\/ul>/);
  assert.match(html, /<button [^>]*>Show more<\/button>/);
  assert.doesNotMatch(htmlOf(["Maya"]), /<button/);
});

Deno.test("a list says what an empty one means once it is read", () => {
  assert.equal(htmlOf([]), "Nobody.");
  assert.match(htmlOf([], { isPlaceholderData: true }), /Loading/);
});
