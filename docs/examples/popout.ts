import { logPresentation } from "./activity.ts";
import { type Submission, submitPresentation } from "./submission.ts";

const query = new URLSearchParams(location.search);
const lead_id = query.get("lead_id")!;
const stopLogging = logPresentation(lead_id, query.get("agent_id")!);

// A reload keeps it, so that a submission whose response was lost is not stored twice.
const submissionKey = `submission: ${lead_id}`;
const client_submission_id = sessionStorage.getItem(submissionKey) ?? crypto.randomUUID();
sessionStorage.setItem(submissionKey, client_submission_id);

const form = document.querySelector("form")!;
const button = form.querySelector("button")!;
const output = form.querySelector("output")!;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  output.textContent = "Submitting";
  try {
    await submitPresentation(readForm());
    stopLogging();
    sessionStorage.removeItem(submissionKey);
    output.textContent = "Submitted";
  } catch (error) {
    // The message names the field, such as `sale.annual_premium: is required`.
    output.textContent = (error as Error).message;
    button.disabled = false;
  }
});
// Before this line the browser would send the form itself.
button.disabled = false;

function readForm(): Submission {
  const fields = new FormData(form);
  const text = (name: string) => String(fields.get(name) ?? "");
  const number = (name: string) => text(name) === "" ? null : Number(text(name));
  return {
    lead_id,
    demographics: {
      date_of_birth: text("date_of_birth"),
      children: number("children"),
      tobacco_user: fields.has("tobacco_user"),
    },
    sale: text("product") === "" ? null : { product: text("product"), annual_premium: number("annual_premium")! },
    referrals: text("referral_first_name") === ""
      ? []
      : [{ first_name: text("referral_first_name"), phone: text("referral_phone") }],
    client_submission_id,
  };
}
