import type { Message } from "../data/messages.ts";
import type { Note } from "../data/notes.ts";
import { dayText } from "../ui/time.tsx";

/** Texts of one writer that follow each other sooner than this stand together. */
const TOGETHER_MS = 5 * 60 * 1000;

/** A text or a note of a conversation, with its place among the others. */
export type Entry = {
  id: string;
  /** The day in words, where it is the first of its day; null: the day stands above another one. */
  day: string | null;
  /** Whether it begins what one person has written in one go. */
  isFirst: boolean;
} & ({ text: Message; note?: undefined } | { note: Note; text?: undefined });

/**
 * The texts and notes of a conversation in the order of time. Notes from before the first text are left out while
 * earlier texts are not read.
 */
export function timelineOf(texts: Message[], notes: Note[], hasEarlierTexts: boolean): Entry[] {
  const begin = hasEarlierTexts && texts.length > 0 ? Date.parse(texts[0]!.created_at) : -Infinity;
  const items = [
    ...texts.map((text) => ({ text, at: Date.parse(text.created_at), writer: writerOf(text) })),
    ...notes.map((note) => ({ note, at: Date.parse(note.created_at), writer: `note ${note.agent_id}` })),
  ].filter(({ at }) => at >= begin).sort((one, other) => one.at - other.at);
  const days = items.map(({ at }) => dayText(new Date(at).toISOString()));
  return items.map(({ at, writer, ...item }, place) => {
    const before = items[place - 1];
    const day = days[place] === days[place - 1] ? null : days[place]!;
    return {
      ...item,
      id: "note" in item ? item.note.id : item.text.id,
      day,
      isFirst: before?.writer !== writer || at - before.at >= TOGETHER_MS || day !== null,
    };
  });
}

function writerOf({ sender_type, sent_by }: Message): string {
  return `${sender_type} ${sent_by}`;
}
