import { CallError } from "../data/client.ts";
import type { Submission } from "./submission.ts";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
type Values = Record<string, string | number | boolean | null>;

/**
 * The content of the form. A field has the name of its column, after that of its part: `sale.product`. A sale or a
 * referral of which nothing is filled in is none.
 */
export function readForm(form: HTMLFormElement): Omit<Submission, "lead_id" | "client_submission_id"> {
  const sale = valuesOf(form, "sale");
  return {
    demographics: valuesOf(form, "demographics"),
    sale: isBlank(sale) ? null : sale,
    referrals: referralsOf(form).map((part) => valuesOf(part, "referral")),
  } as Omit<Submission, "lead_id" | "client_submission_id">;
}

/** Shows what is wrong, beside the field that it is about; null: nothing is. */
export function showProblem(form: HTMLFormElement, error: Error | null): void {
  for (const shown of form.querySelectorAll(".field-problem")) shown.remove();
  for (const marked of form.querySelectorAll("[aria-invalid]")) marked.removeAttribute("aria-invalid");
  const control = error instanceof CallError ? controlOf(form, error.field) : null;
  form.querySelector(".problem:not(.field-problem)")!.textContent = control === null ? error?.message ?? "" : "";
  if (control === null) return;
  const problem = document.createElement("span");
  problem.className = "problem field-problem";
  problem.role = "alert";
  problem.textContent = error!.message;
  control.setAttribute("aria-invalid", "true");
  control.after(problem);
  control.focus();
}

/** The field that the database names, such as `sale.product` or `referrals[0].phone`. */
function controlOf(form: HTMLFormElement, field: string): Control | null {
  const [, place, column] = /^referrals\[(\d+)\]\.(\w+)$/.exec(field) ?? [];
  return place === undefined
    ? form.querySelector(`[name="${field}"]`)
    : referralsOf(form)[Number(place)]?.querySelector<Control>(`[name="referral.${column}"]`) ?? null;
}

function referralsOf(form: HTMLFormElement): Element[] {
  return [...form.querySelectorAll(".referral")].filter((part) => !isBlank(valuesOf(part, "referral")));
}

function valuesOf(part: Element, name: string): Values {
  const controls = part.querySelectorAll<Control>(`[name^="${name}."]`);
  return Object.fromEntries(Array.from(controls, (control) => [control.name.slice(name.length + 1), valueOf(control)]));
}

function valueOf(control: Control): string | number | boolean | null {
  if (control.type === "checkbox") return (control as HTMLInputElement).checked;
  if (control.value === "") return null;
  return control.type === "number" ? Number(control.value) : control.value;
}

function isBlank(values: Values): boolean {
  return Object.values(values).every((value) => value === null);
}
