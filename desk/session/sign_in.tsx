import { useEffect, useState } from "react";
import { Field } from "../ui/field.tsx";
import { ActionError, useAction } from "../ui/action.tsx";
import { Page } from "../ui/page.tsx";
import { sendPasswordLink, signIn } from "./session.ts";

/** Shown to a user who is not signed in. `ended`: the address of the user whose session has ended. */
export function SignIn({ ended }: { ended?: string }) {
  const [hasForgotten, setForgotten] = useState(false);
  const [email, setEmail] = useState(ended);
  useEffect(() => {
    // A dialog that is open would let nothing else be used, although nobody sees it.
    for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog[open]")) dialog.close();
  }, []);
  return (
    <Page title={hasForgotten ? "Set a new password" : "Sign in"} className="narrow">
      {ended !== undefined && <p role="status">Your session has ended. Sign in again, and you are where you were.</p>}
      {hasForgotten ? <ForgottenForm email={email} /> : <SignInForm email={email} />}
      <button
        type="button"
        className="link"
        onClick={() => {
          setEmail(document.querySelector<HTMLInputElement>("input[name=email]")!.value);
          setForgotten(!hasForgotten);
        }}
      >
        {hasForgotten ? "Back to signing in" : "Forgot the password?"}
      </button>
    </Page>
  );
}

function SignInForm({ email }: { email?: string }) {
  const action = useAction((form: FormData) => signIn(String(form.get("email")), String(form.get("password"))));
  return (
    <form onSubmit={action.onSubmit}>
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        required
        defaultValue={email}
        autoFocus={!email}
      />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        autoFocus={Boolean(email)}
      />
      <button type="submit" className="primary" aria-disabled={action.isRunning}>Sign in</button>
      <ActionError action={action} />
    </form>
  );
}

/** Sends a link to a user who has forgotten the password, or came too late with one. */
export function ForgottenForm({ email }: { email?: string }) {
  const action = useAction((form: FormData) => sendPasswordLink(String(form.get("email"))));
  return (
    <form onSubmit={action.onSubmit}>
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="username"
        required
        defaultValue={email}
        autoFocus
      />
      <button type="submit" className="primary" aria-disabled={action.isRunning}>Send a link</button>
      <ActionError action={action} />
      <p role="status">
        {action.isDone &&
          "If the address has a login, an e-mail with a link is on its way. Only the latest link works."}
      </p>
    </form>
  );
}
