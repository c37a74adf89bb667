import { createAgentWithLead, signInNewUser } from "../support/agents.ts";
import { assertAccessible, DESK, deskTest, signIn } from "./harness.ts";

deskTest("an agent signs in, and out", async (page) => {
  await signIn(page, await createAgentWithLead());
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.getByText("Nora").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

deskTest("a wrong password is told beside the form, and what was written stays", async (page) => {
  const { email } = await createAgentWithLead();
  await page.goto(DESK);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("The e-mail address or the password is wrong.").waitFor();
  await assertAccessible(page);
});

deskTest("a login without an agent is told who may help", async (page) => {
  await signIn(page, await signInNewUser());
  await page.getByText("This login has no desk.").waitFor();
  await assertAccessible(page);
});
