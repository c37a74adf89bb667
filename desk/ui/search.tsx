import { useEffect, useState } from "react";

const PAUSE_MS = 250;

/** A field for what the user looks for. */
export function Search({ value, onChange, label = "Name or last digits" }: {
  value: string;
  onChange: (typed: string) => void;
  label?: string;
}) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The typed words, once the typing pauses: nothing is looked for at each letter. */
export function useDebounced(typed: string): string {
  const [debounced, setDebounced] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return debounced;
}
