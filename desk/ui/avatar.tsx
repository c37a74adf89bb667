import type { CSSProperties } from "react";

/** The number of colours; the last is grey. */
export const COLOURS = 8;

/**
 * The initials of a person, in a colour by the id; of nobody, whose id is null, an empty circle.
 *
 * @param isNamed whether the name stands beside them
 */
export function Avatar({ id, name, isNamed = false }: { id: string | null; name: string; isNamed?: boolean }) {
  const circle = (
    <span
      className={id === null ? "avatar is-none" : "avatar"}
      style={id === null ? undefined : seriesOf(colourOf(id))}
      title={isNamed ? undefined : name}
      aria-hidden
    >
      {id === null ? "\u00a0" : initialsOf(name)}
    </span>
  );
  return isNamed
    ? (
      <span className="person">
        {circle}
        <bdi>{name}</bdi>
      </span>
    )
    : (
      <>
        {circle}
        <bdi className="visually-hidden">{name}</bdi>
      </>
    );
}

/** The first letters of the first and the last word. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const chosen = words.length > 1 ? [words[0]!, words.at(-1)!] : words;
  return chosen.map((word) => /[\p{L}\p{N}]/u.exec(word)![0].toUpperCase()).join("");
}

/** The style that gives an element the colour of a number, as `--series`. */
export function seriesOf(colour: number): CSSProperties {
  return { "--series": `var(--series-${colour})` } as CSSProperties;
}

/** A colour's number, from 1. The same id has the same everywhere. */
export function colourOf(id: string, colours = COLOURS): number {
  let sum = 0;
  for (const letter of id) sum = (sum * 91 + letter.codePointAt(0)!) % 65_521;
  return sum % colours + 1;
}
