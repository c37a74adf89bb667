/** Full and part time, where a question offers them: by the hours of a week, and in Spanish. */
import { wordsOf } from "./words.ts";

const FULL = ["full time", "fulltime"];
const PART = ["part time", "parttime"];
const SPANISH = {
  full: ["tiempo completo", "jornada completa"],
  part: ["medio tiempo", "tiempo parcial", "media jornada", "media tiempo"],
};
/** Hours a week: as many are full time, and as many part time. Between them nobody can tell. */
const LEAST_FULL = 35;
const MOST_PART = 30;
const MOST = 80;

const HOURS =
  /^(?:(?:i|id|can|could|do|work|want|like|about|around|maybe|just|at|least|up|to|only|looking|for|prefer|would|yes|please) ){0,8}(\d{1,2}) ?(?:(?:hours?|hrs?|horas)(?: (?:a|per|each|every|la|por))?(?: (?:week|wk|weekly|semana))?|(?:a|per|each|every) (?:week|wk)|weekly)(?: (?:please|pls|thanks|or so|is fine|is good|max)){0,2}$/;

/** The names of the choices for full and for part time, where a question has both. */
function timesOf(choice: Record<string, string[]>): { full: string; part: string } | undefined {
  const nameOf = (wanted: string[]) =>
    Object.entries(choice).find(([name, words]) =>
      [name, ...words].some((phrase) => wanted.includes(wordsOf(phrase).join(" ")))
    )?.[0];
  const [full, part] = [nameOf(FULL), nameOf(PART)];
  return full === undefined || part === undefined ? undefined : { full, part };
}

/** The choice that a number of hours a week is. */
export function readHours(choice: Record<string, string[]>, text: string): string | undefined {
  if (!/\d/.test(text)) return undefined;
  const hours = Number(HOURS.exec(wordsOf(text).join(" "))?.[1]);
  const times = hours > 0 && hours <= MOST ? timesOf(choice) : undefined;
  if (times === undefined) return undefined;
  if (hours >= LEAST_FULL) return times.full;
  return hours <= MOST_PART ? times.part : undefined;
}

/** The Spanish words for full and part time. */
export function withSpanish(choice: Record<string, string[]>): { name: string; words: string[] }[] {
  const times = timesOf(choice);
  if (times === undefined) return [];
  return (["full", "part"] as const).flatMap((time) =>
    SPANISH[time].map((phrase) => ({ name: times[time], words: phrase.split(" ") }))
  );
}
