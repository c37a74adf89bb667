import assert from "node:assert/strict";
import { asksForResume, contactFieldOf } from "./wording.ts";

Deno.test("a question for a contact field is recognized by its wording", () => {
  const questions: Record<string, string[]> = {
    first_name: [
      "first_name",
      "First name *",
      "What's your first name?",
      "May I have your *first name*, please?",
      "Let's start with your first name.",
    ],
    last_name: ["And your last name, {{field:01H1}}?", "Surname", "What is your legal last name?"],
    full_name: ["Your name", "Hello! What is your name?", "What is your first and last name?", "nombre completo"],
    phone: ["What's the best phone number to reach you?", "Mobile", "cell phone number"],
    email: ["E-mail", "Please enter your email address"],
    address: ["What is your current address?"],
    city: ["Which city do you live in?", "City/Town"],
    state: ["What state are you in?", "State / Province"],
    zip: ["ZIP / postal code", "Your zip code?"],
    country: ["Country"],
  };
  for (const [field, wordings] of Object.entries(questions)) {
    for (const wording of wordings) assert.equal(contactFieldOf(wording), field, wording);
  }
});

Deno.test("a question with an additional word does not ask for a contact field", () => {
  for (
    const question of [
      ...["Their first name", "Name of your company", "In which state are you licensed?"],
      ...["Do you have a phone for work and one for home?", "Phone / e-mail", "Why?", "", "/", "{{}}"],
      ...["Mother's maiden name", `${" ".repeat(300)}name`],
    ]
  ) assert.equal(contactFieldOf(question), undefined, question);
});

Deno.test("a question for a resume is recognized by its wording", () => {
  for (const question of ["Please upload your résumé", "CV (PDF)", "resume", "Dein Lebenslauf"]) {
    assert.ok(asksForResume(question), question);
  }
  for (const question of ["A photo of your license", "CVS pharmacy card", ""]) {
    assert.equal(asksForResume(question), false, question);
  }
});
