import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { List } from "./list.tsx";

const NEVER = { error: null, refetch() {} };

function htmlOf(
  data: string[],
  more: { most?: number; hasNextPage?: boolean; isPlaceholderData?: boolean } = {},
): string {
  const { most, ...paged } = more;
  return renderToStaticMarkup(
    <List
      query={{ ...NEVER, data, isFetchingNextPage: false, fetchNextPage() {}, hasNextPage: false, ...paged }}
      resource="names"
      empty="Nobody."
      most={most}
      label="Names"
      keyOf={(name) => name}
      columns={[
        { title: "Name", cell: (name) => name, isHeader: true },
        { title: "Length", cell: (name) => name.length, isNumber: true },
      ]}
    />,
  );
}

Deno.test("a list is a table with its columns, and has a button while there are more rows", () => {
  const html = htmlOf(["Maya"], { hasNextPage: true });
  assert.match(html, /aria-label="Names"/);
  assert.match(html, /<th scope="row">Maya<\/th><td class="number">4<\/td>/);
  assert.match(html, /<button [^>]*>Show more<\/button>/);
  assert.doesNotMatch(htmlOf(["Maya"]), /<button/);
});

Deno.test("a list of few rows has no more, and says what an empty one means once it is read", () => {
  assert.doesNotMatch(htmlOf(["Maya", "Omar"], { most: 1, hasNextPage: true }), /Omar|<button/);
  assert.equal(htmlOf([]), "Nobody.");
  assert.match(htmlOf([], { isPlaceholderData: true }), /Loading/);
});
