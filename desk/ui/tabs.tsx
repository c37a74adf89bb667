import ChevronDown from "lucide-react/icons/chevron-down";
import { Fragment, type ReactNode, useEffect, useId, useRef } from "react";
import { Link, useLocation } from "wouter";
import type { Icon } from "./icon_button.tsx";

/** One part of a view. */
export interface Tab {
  /** Its address. */
  href: string;
  label: ReactNode;
  /** What stands before it in a list. */
  icon?: Icon;
  /** How many things are in it. */
  count?: ReactNode;
  /** The beginnings of other addresses that belong to it. */
  also?: string[];
  /** The heading above it, which shows where the parts stand below each other. */
  group?: string;
}

/** The one to which the page's address belongs. */
function useCurrentTab(tabs: Tab[]): Tab | undefined {
  const [path] = useLocation();
  return tabs.filter(({ href, also = [] }) => [href, ...also].some((begin) => `${path}/`.startsWith(`${begin}/`)))
    .sort((one, other) => other.href.length - one.href.length)[0];
}

/**
 * The parts of a view, each with its address. The one to which the page's address belongs is marked.
 *
 * @param among these and others, of which one may be marked in their place
 * @param isList whether they stand below each other
 */
export function Tabs({ label, tabs, among = tabs, isList = false }: {
  label: string;
  tabs: Tab[];
  among?: Tab[];
  isList?: boolean;
}) {
  const current = useCurrentTab(among);
  const nav = useRef<HTMLElement>(null);
  // On a phone the marked one may be beyond an edge. Where none is, they rest at their start.
  useEffect(() => {
    if (isList) return;
    const marked = nav.current!.querySelector("[aria-current]")?.getBoundingClientRect();
    if (marked === undefined) return nav.current!.scrollTo(0, 0);
    const { left, right } = nav.current!.getBoundingClientRect();
    // 24 pixels at the right fade.
    nav.current!.scrollLeft += Math.max(0, marked.right + 24 - right) + Math.min(0, marked.left - left);
  }, [current?.href]);
  useEffect(() => {
    if (isList) return;
    const watcher = new ResizeObserver(() => markEdges(nav.current!));
    watcher.observe(nav.current!);
    return () => watcher.disconnect();
  }, []);
  return (
    <nav
      className={isList ? "tabs is-list" : "tabs"}
      aria-label={label}
      ref={nav}
      onScroll={({ currentTarget }) => markEdges(currentTarget)}
    >
      {tabs.map((tab) => (
        <Fragment key={tab.href}>
          {tab.group && <span className="tabs-group">{tab.group}</span>}
          <Link href={tab.href} aria-current={tab === current ? "page" : undefined}>
            {isList && tab.icon && <tab.icon size={16} />}
            {tab.label}
            {tab.count !== undefined && <span className="count-of">{tab.count}</span>}
          </Link>
        </Fragment>
      ))}
    </nav>
  );
}

/**
 * {@link Tabs} as a list below a button, which has the name of the one that is open.
 *
 * @param className of the button
 * @param name what the button says where none of them is open
 */
export function TabMenu({ label, tabs, among = tabs, className, name = label }: {
  label: string;
  tabs: Tab[];
  among?: Tab[];
  className?: string;
  name?: string;
}) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const current = useCurrentTab(among);
  const open = current && tabs.includes(current) ? current : undefined;
  return (
    <>
      <button type="button" className={className} popoverTarget={id} aria-current={open !== undefined || undefined}>
        {open?.label ?? name} {open?.count !== undefined && <span className="count-of">{open.count}</span>}
        <ChevronDown size={16} />
      </button>
      <div id={id} ref={menu} className="menu" popover="auto" onClick={() => menu.current!.hidePopover()}>
        <Tabs label={label} tabs={tabs} among={among} isList />
      </div>
    </>
  );
}

/** Says in the element beyond which of its edges there are others. */
function markEdges(nav: HTMLElement): void {
  nav.toggleAttribute("data-scrolled", nav.scrollLeft > 0);
  nav.toggleAttribute("data-more", nav.scrollWidth - nav.clientWidth - nav.scrollLeft > 1);
}
