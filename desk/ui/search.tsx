import { useEffect, useState } from "react";

const PAUSE_MS = 250;

/** A field for what the user looks for. */
export function Search({ value, onChange }: { value: string; onChange: (typed: string) => void }) {
  const label = "Name or last digits of the phone";
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

/** What the user has typed, once the typing pauses: nothing is looked for at each letter. */
export function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
