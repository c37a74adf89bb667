import { useState } from "react";
import { Field } from "../ui/field.tsx";
import { Problem, useAction } from "../ui/action.tsx";
import { sendPasswordLink, signIn } from "./session.ts";

/** Shown to whoever is not signed in, and over the page of whoever's session has ended. */
export function SignIn({ hasEnded }: { hasEnded: boolean }) {
  const [forgotten, setForgotten] = useState(false);
  return (
    <main className="narrow">
      <h1>{forgotten ? "Set a new password" : "Sign in"}</h1>
      {hasEnded && <p role="status">Your session has ended. Sign in again, and you are where you were.</p>}
      {forgotten ? <ForgottenForm /> : <SignInForm />}
      <button type="button" className="link" onClick={() => setForgotten(!forgotten)}>
        {forgotten ? "Back to signing in" : "Forgot the password?"}
      </button>
    </main>
  );
}

function SignInForm() {
  const action = useAction((form: FormData) => signIn(String(form.get("email")), String(form.get("password"))));
  return (
    <form onSubmit={action.onSubmit}>
      <Field label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
      <Field label="Password" name="password" type="password" autoComplete="current-password" required />
      <button type="submit" className="primary" aria-disabled={action.isRunning}>Sign in</button>
      <Problem of={action} />
    </form>
  );
}

function ForgottenForm() {
  const action = useAction((form: FormData) => sendPasswordLink(String(form.get("email"))));
  return (
    <form onSubmit={action.onSubmit}>
      <Field label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
      <button type="submit" className="primary" aria-disabled={action.isRunning}>Send a link</button>
      <Problem of={action} />
      {action.isDone && <p role="status">If the address has a login, an e-mail with a link is on its way.</p>}
    </form>
  );
}
