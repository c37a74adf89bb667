import { type InputHTMLAttributes, useId } from "react";

/** A labelled input, with a hint below it. */
export function Field(
  { label, hint, ...input }: { label: string; hint?: string } & InputHTMLAttributes<HTMLInputElement>,
) {
  const id = useId();
  return (
    <p className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} aria-describedby={hint && `${id}-hint`} {...input} />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </p>
  );
}
