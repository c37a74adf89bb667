import { useState } from "react";
import { Field } from "../ui/field.tsx";
import { ActionError, useAction } from "../ui/action.tsx";
import { Page } from "../ui/page.tsx";
import type { Link } from "./link.ts";
import { setPassword, signInByLink } from "./session.ts";
import { ForgottenForm } from "./sign_in.tsx";

/** Sets the password of a user who was invited, has forgotten it, or wants another. */
export function Password({ email, onDone }: { email: string; onDone: () => void }) {
  const action = useAction(async (form: FormData) => {
    await setPassword(String(form.get("password")));
    onDone();
  });
  return (
    <Page title="Set your password" className="narrow">
      <p>For {email}.</p>
      <form onSubmit={action.onSubmit}>
        {/* The password manager keeps the password with the address. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <Field label="New password" name="password" type="password" autoComplete="new-password" required />
        <button type="submit" className="primary" aria-disabled={action.isRunning}>Save the password</button>
        <ActionError action={action} />
      </form>
    </Page>
  );
}

/**
 * Shown to a user who came by the link of an e-mail. The link works once, so it is used only when somebody presses the
 * button: programs that look through e-mails open each link.
 */
export function OpenLink({ link, onDone }: { link: Link; onDone: (isSignedIn: boolean) => void }) {
  const [isOver, setOver] = useState(link.kind === "failed");
  const action = useAction(async () => {
    if (await signInByLink(link)) onDone(true);
    else setOver(true);
  });
  if (isOver) {
    return (
      <Page title="This link no longer works" className="narrow">
        <p>A link works once, and for a limited time. Here you get another.</p>
        <ForgottenForm />
        <button type="button" className="link" onClick={() => onDone(false)}>Back to signing in</button>
      </Page>
    );
  }
  return (
    <Page
      title={link.kind !== "failed" && link.type === "invite" ? "Welcome" : "Set a new password"}
      className="narrow"
    >
      <form onSubmit={action.onSubmit}>
        <p>On the next page you choose your password.</p>
        <button type="submit" className="primary" aria-disabled={action.isRunning}>Go on</button>
        <ActionError action={action} />
      </form>
    </Page>
  );
}
