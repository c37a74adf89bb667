import { type ReactNode, useEffect, useRef } from "react";
import { setTitle } from "./title.ts";

let isFirst = true;

/** The main part of a view. Its title is the document's too, and has the focus when the user comes from elsewhere. */
export function Page(
  { title, className, children }: { title: string; className?: string; children: ReactNode },
) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => setTitle(title), [title]);
  useEffect(() => {
    const { current } = heading;
    // A field that asks for the focus keeps it.
    if (!isFirst && !current!.parentElement!.contains(document.activeElement)) current!.focus();
    isFirst = false;
  }, []);
  return (
    <main id="main" className={className}>
      <h1 ref={heading} tabIndex={-1}>
        <bdi>{title}</bdi>
      </h1>
      {children}
    </main>
  );
}
