import { type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import { countText } from "./count.ts";
import { setTitle } from "./title.ts";

let isFirst = true;

/** Keeps how far the page is scrolled where a link is followed, so that the browser's Back leads to the same place. */
function keepPlace({ target }: MouseEvent): void {
  if ((target as Element).closest("a") === null) return;
  history.replaceState({ ...history.state as object | null, scrolled: scrollY }, "");
}

/**
 * The main part of a view. Its title is the document's too, and has the focus when the user comes from elsewhere.
 *
 * @param isTitleHidden whether the title is only heard, because the entry that leads here has the same word
 */
export function Page({ title, isTitleHidden = false, className, children }: {
  title: string;
  isTitleHidden?: boolean;
  className?: string;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => setTitle(title), [title]);
  useEffect(() => {
    const { current } = heading;
    // A field that asks for the focus keeps it.
    if (!isFirst && !current!.parentElement!.contains(document.activeElement)) current!.focus();
    isFirst = false;
    const { scrolled } = (history.state ?? {}) as { scrolled?: number };
    if (scrolled !== undefined) scrollTo(0, scrolled);
  }, []);
  return (
    <main id="main" className={className} onClickCapture={keepPlace}>
      <h1 ref={heading} tabIndex={-1} className={isTitleHidden ? "visually-hidden" : undefined}>
        <bdi>{title}</bdi>
      </h1>
      {children}
    </main>
  );
}

/** The number of rows of a list as its title, and what is done with all of them. */
export function ListHead({ count, noun, children }: { count: number | undefined; noun: string; children?: ReactNode }) {
  return (
    <div className="line list-head">
      {count === undefined
        ? (
          <div className="skeleton">
            <span />
          </div>
        )
        : <h2>{`${countText(count)} ${count === 1 ? noun : `${noun}s`}`}</h2>}
      {children}
    </div>
  );
}
