/** The words that the bot has besides its script's: what it is, and what would be an answer. */
import type { AnswerType } from "./answers.ts";
import { wordsOf } from "./words.ts";

/** So that they take no more than the 3 segments that a text of a script has. */
const LONGEST = 200;

/** Two sentences, or the first alone where both would be too long. */
export function sentences(first: string, second: string): string {
  const both = `${first} ${second}`;
  return both.length <= LONGEST ? both : first;
}

/** The answer to "are you a bot?". */
export function whatItIs(ask: string): string {
  return isInSpanish(ask)
    ? "Sí, este es un asistente automático de {agency}."
    : "Yes, this is an automated assistant of {agency}.";
}

/** What would be an answer to a question that does not say so itself. */
export function hintFor(type: AnswerType, ask: string): string | undefined {
  const isSpanish = isInSpanish(ask);
  if (type === "yes_no") {
    if (/\byes\b|\bs[ií]\b/i.test(ask)) return undefined;
    return isSpanish ? "Responda SÍ o NO, por favor." : "Please reply YES or NO.";
  }
  if (type === "states") {
    if (/\b[A-Z]{2}\b/.test(ask)) return undefined;
    return isSpanish ? "Por ejemplo: TX, OK" : "For example: TX, OK";
  }
  if (type === "text") return undefined;
  if ("number" in type) return isSpanish ? "Responda con un número, por favor." : "Please reply with a number.";
  const words = ` ${wordsOf(ask).join(" ")} `;
  const names = Object.entries(type.choice).map(([name, phrases]) =>
    [name, ...phrases].map((phrase) => wordsOf(phrase).join(" ")).find((phrase) => words.includes(` ${phrase} `)) ??
      wordsOf(name).join(" ")
  );
  return isSpanish ? `Responda con: ${names.join(", ")}.` : `Please reply with one of: ${names.join(", ")}.`;
}

/** Whether a script's text is in Spanish. */
export function isInSpanish(text: string): boolean {
  return /[¿¡ñ]/.test(text);
}
