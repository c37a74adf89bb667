import { useState } from "react";
import { supabase } from "../data/client.ts";
import { Field } from "../ui/field.tsx";
import { Problem, useAction } from "../ui/action.tsx";
import { Page } from "../ui/page.tsx";
import type { Link } from "./link.ts";
import { setPassword } from "./session.ts";

const MIN_LENGTH = 8;

/** Sets a password: of whoever was invited, has forgotten it, or wants another. */
export function Password({ email, onDone }: { email: string; onDone: () => void }) {
  const action = useAction(async (form: FormData) => {
    await setPassword(String(form.get("password")));
    onDone();
  });
  return (
    <Page title="Set your password" className="narrow">
      <form onSubmit={action.onSubmit}>
        {/* The password manager keeps the password with the address. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <Field
          label="New password"
          hint={`At least ${MIN_LENGTH} characters.`}
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={MIN_LENGTH}
          required
        />
        <button type="submit" className="primary" aria-disabled={action.isRunning}>Save the password</button>
        <Problem of={action} />
      </form>
    </Page>
  );
}

/**
 * Shown to whoever came by the link of an e-mail. The link works once, so it is used only when somebody presses the
 * button: programs that look through e-mails open each link.
 */
export function OpenLink({ link, onDone }: { link: Link; onDone: () => void }) {
  const [hasFailed, setFailed] = useState(link.kind === "failed");
  const action = useAction(async () => {
    if (link.kind !== "token") return;
    const { error } = await supabase.auth.verifyOtp({ type: link.type, token_hash: link.token_hash });
    if (error === null) return onDone();
    if (error.status === undefined || error.status >= 500) throw new Error("No connection. Try again in a moment.");
    setFailed(true);
  });
  return (
    <main className="narrow">
      <h1>{hasFailed ? "This link no longer works" : "Welcome"}</h1>
      {hasFailed
        ? (
          <>
            <p>A link works once, and for a limited time. Ask for another: it is sent to your e-mail address.</p>
            <button type="button" className="primary" onClick={onDone}>Go to the sign-in</button>
          </>
        )
        : (
          <form onSubmit={action.onSubmit}>
            <p>Here you choose your password.</p>
            <button type="submit" className="primary" aria-disabled={action.isRunning}>Go on</button>
            <Problem of={action} />
          </form>
        )}
    </main>
  );
}
