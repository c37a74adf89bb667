import { type InputHTMLAttributes, type ReactNode, useId } from "react";

/**
 * A labelled input, with a hint and what is wrong with it below.
 *
 * @param rows where given, it is a box of so many lines
 * @param children where given, it is a list of these options
 */
export function Field({ label, hint, problem, rows, children, ...input }: {
  label: ReactNode;
  hint?: string;
  problem?: string;
  rows?: number;
  children?: ReactNode;
} & InputHTMLAttributes<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) {
  const id = useId();
  const Input = (children ? "select" : rows ? "textarea" : "input") as "input";
  const below = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <p className="field">
      <label htmlFor={id}>{label}</label>
      <Input
        id={id}
        aria-describedby={below || undefined}
        aria-invalid={problem ? true : undefined}
        {...input}
        {...rows && { rows }}
      >
        {children}
      </Input>
      {problem && <span id={`${id}-problem`} className="problem">{problem}</span>}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </p>
  );
}
