import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import { Link } from "wouter";
import { type Icon, IconButton } from "./icon_button.tsx";

/** One thing that a menu offers: an address, or something to do. */
export interface MenuItem {
  label: ReactNode;
  icon?: Icon;
  /** The key that does the same, such as "E". */
  keys?: string;
  /** Whether it cannot be undone. */
  isBad?: boolean;
  href?: string;
  run?: () => unknown;
}

/**
 * A button that opens a list of things to do. Arrow keys go through it; Escape and a click elsewhere close it.
 *
 * @param label the button's words
 * @param icon where given, the button is an icon, and its label is for a screen reader, unless it `isNamed`
 */
export function Menu({ label, icon, isNamed = false, items, className }: {
  label: string;
  icon?: Icon;
  isNamed?: boolean;
  items: MenuItem[];
  className?: string;
}) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);

  function itemsOf(): HTMLElement[] {
    return [...menu.current!.querySelectorAll<HTMLElement>("[role=menuitem]")];
  }

  function onKeyDown(event: KeyboardEvent): void {
    const all = itemsOf();
    const place = all.indexOf(document.activeElement as HTMLElement);
    const to = {
      ArrowDown: (place + 1) % all.length,
      ArrowUp: (place + all.length - 1) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (event.key === "Tab") menu.current!.hidePopover();
    if (to === undefined) return;
    event.preventDefault();
    all[to]!.focus();
  }

  const opener = { popoverTarget: id, "aria-haspopup": "menu" } as const;
  return (
    <>
      {icon
        ? <IconButton icon={icon} label={label} isNamed={isNamed} className={className} {...opener} />
        : <button type="button" className={className} {...opener}>{label}</button>}
      <div
        id={id}
        ref={menu}
        className="menu"
        popover="auto"
        role="menu"
        aria-label={label}
        onKeyDown={onKeyDown}
        onToggle={({ newState }) => {
          if (newState === "open") itemsOf()[0]?.focus();
        }}
      >
        {items.map(({ label, icon: Icon, keys, isBad, href, run }, place) => {
          const content = (
            <>
              {Icon ? <Icon size={16} /> : <span />}
              <span>{label}</span>
              {keys && <kbd aria-hidden>{keys}</kbd>}
            </>
          );
          const item = {
            role: "menuitem",
            tabIndex: -1,
            className: isBad ? "is-bad" : undefined,
            onClick: () => {
              menu.current!.hidePopover();
              void run?.();
            },
          };
          return href === undefined
            ? <button key={place} type="button" {...item}>{content}</button>
            : <Link key={place} href={href} {...item}>{content}</Link>;
        })}
      </div>
    </>
  );
}
