import { CallError, connect, supabase } from "../data/client.ts";
import { readConfig } from "../data/config.ts";
import { logPresentation } from "./activity.ts";
import { readForm, showProblem } from "./form.ts";
import { submitPresentation } from "./submission.ts";

const query = new URLSearchParams(location.search);
const lead_id = query.get("lead_id") ?? "";
const agent_id = query.get("agent_id") ?? "";
const form = document.querySelector("form")!;
const button = form.querySelector<HTMLButtonElement>("[type=submit]")!;
const status = form.querySelector("[role=status]")!;

// A reload keeps it, so that a submission whose response was lost is not stored twice.
const submissionKey = `submission: ${lead_id}`;
const kept = sessionStorage.getItem(submissionKey);
const client_submission_id = kept ?? crypto.randomUUID();
/** The submission that was sent and may have arrived; of one before a reload nothing is known. */
const mayBeStored = new Set(kept === null ? [] : [""]);

const blankReferral = form.querySelector(".referral")!.cloneNode(true);
document.getElementById("add-referral")!.addEventListener("click", () => {
  const another = blankReferral.cloneNode(true) as HTMLElement;
  form.querySelector(".buttons")!.before(another);
  another.querySelector("input")!.focus();
});

try {
  if (lead_id === "" || agent_id === "") {
    throw new Error("Open this window with Present, beside a lead of the desk.");
  }
  connect(await readConfig());
  const stopLogging = logPresentation(lead_id, agent_id);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    showProblem(form, null);
    status.textContent = "Submitting";
    const filled = readForm(form);
    const sent = JSON.stringify(filled);
    try {
      sessionStorage.setItem(submissionKey, client_submission_id);
      const { duplicate } = await submitPresentation({ lead_id, ...filled, client_submission_id });
      stopLogging();
      sessionStorage.removeItem(submissionKey);
      mayBeStored.delete(sent);
      status.textContent = duplicate && mayBeStored.size > 0
        ? "It was submitted by an earlier try. What you have changed since then is not stored."
        : "Submitted. You may close this window.";
    } catch (error) {
      status.textContent = "";
      if (error instanceof CallError && error.mayPass) mayBeStored.add(sent);
      showProblem(form, explained(error as Error));
      button.disabled = false;
    }
  });
  // Before this line the browser would send the form itself.
  for (const ready of form.querySelectorAll("button")) ready.disabled = false;
  await showName();
} catch (error) {
  showProblem(form, error as Error);
}

/** Says whom the presentation is for. An agent who is not signed in presents anyway, and reads no name. */
async function showName(): Promise<void> {
  const { data: lead } = await supabase.from("leads").select("first_name, last_name").eq("id", lead_id).maybeSingle();
  if (lead === null) return;
  const title = `Presentation: ${lead.first_name} ${lead.last_name ?? ""}`.trim();
  document.title = `${title} – Desk`;
  document.querySelector("h1")!.textContent = title;
}

function explained(error: Error): Error {
  return error instanceof CallError && error.status === 401
    ? new Error("You are not signed in. Sign in at the desk in another window, then submit again.")
    : error;
}
