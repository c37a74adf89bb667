import { useState } from "react";
import { Field } from "../ui/field.tsx";

/** A field of words that commas separate. Those that are not edited stay as they are, also with a comma in them. */
export function WordsField({ words, onWords, ...field }: {
  label: string;
  hint?: string;
  problem?: string;
  words: string[];
  onWords: (words: string[]) => void;
}) {
  // As it is typed: a comma at the end begins a word.
  const [text, setText] = useState(words.join(", "));
  return (
    <Field
      {...field}
      autoComplete="off"
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        onWords(target.value.split(",").map((word) => word.trim()).filter((word) => word !== ""));
      }}
    />
  );
}
