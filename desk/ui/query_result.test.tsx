import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { EmptyState, ErrorState, QueryResult, Skeleton } from "./query_result.tsx";

function htmlOf(data: string[] | undefined, error: string | null = null): string {
  return renderToStaticMarkup(
    <QueryResult query={{ data, error: error === null ? null : new Error(error), refetch() {} }} resource="recruits">
      {(names) => names.length === 0 ? <EmptyState title="Nobody.">Look again.</EmptyState> : names.join(", ")}
    </QueryResult>,
  );
}

Deno.test("a result has rows in grey until something was read, and then only what was read", () => {
  assert.match(htmlOf(undefined), /aria-busy="true" aria-label="Loading" role="status"/);
  assert.equal(htmlOf(["Maya", "Omar"]), "Maya, Omar");
  assert.match(htmlOf([]), /<strong>Nobody\.<\/strong><\/p><p>Look again\.<\/p>/);
});

Deno.test("a result that cannot be read says so, and keeps what was read before", () => {
  assert.match(
    htmlOf(undefined, "No connection."),
    /The recruits could not be read\.<\/strong> No connection\..*Try again/,
  );
  assert.match(htmlOf(["Maya"], "No connection."), /role="status".*This may be out of date\. No connection\..*Maya/);
});

Deno.test("a skeleton has as many rows as it is told", () => {
  assert.equal(renderToStaticMarkup(<Skeleton rows={3} />).match(/<span/g)!.length, 3);
});

Deno.test("an error without an object is a sentence", () => {
  const html = renderToStaticMarkup(
    <ErrorState what="It was not read." error="The service has a fault." retry={() => {}} />,
  );
  assert.match(html, /role="alert"><p><strong>It was not read\.<\/strong> The service has a fault\.<\/p>/);
});
