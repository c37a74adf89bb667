import { useState } from "react";
import { type Script, type Session, step } from "../../supabase/functions/worker/bot/step.ts";
import { useAction } from "../ui/action.tsx";
import { Field } from "../ui/field.tsx";

/** The names in the place of the placeholders. */
const NAMES: Record<string, string> = { first_name: "Ada", agent: "Maria Alvarez", agency: "our agency" };

interface Turn {
  said: string;
  reply: string | null;
  /** How the bot has read it, or why its part is over. */
  read: string;
}

/** A conversation with the bot, by its own code. Nothing is stored or sent. The database finds opt-outs, not this. */
export function TryScript({ script }: { script: unknown }) {
  const [turns, setTurns] = useState<Turn[]>([]);
  const [session, setSession] = useState<Session | null>(null);
  const [isOver, setOver] = useState(false);

  const saying = useAction((fields: FormData) => {
    const said = String(fields.get("said")).trim();
    if (said === "") return;
    let taken;
    try {
      taken = step(script as Script, session, [{ body: said }], new Date());
    } catch {
      throw new Error("The bot cannot say this script. Publish names its problems.");
    }
    const { reply, heard, answered = [], ended } = taken;
    const words = reply?.replace(/\{(\w+)\}/g, (_, name) => NAMES[name] ?? "") ?? null;
    const read = answered.map(({ question, value }) => `${question} = ${String(value)}`).join("; ") ||
      (ended?.reason ?? heard ?? "nothing").replaceAll("_", " ");
    setTurns([...turns, { said, reply: words, read }]);
    setSession(taken.session);
    setOver(ended !== undefined);
  });

  function restart(): void {
    setTurns([]);
    setSession(null);
    setOver(false);
  }

  return (
    <div className="try-script panel" role="group" aria-label="Try the script">
      <h3>Try it</h3>
      <p className="quiet">Write as a recruit. Nothing is stored or sent; an opt-out is not recognized here.</p>
      <ol aria-label="The conversation" aria-live="polite">
        {turns.map(({ said, reply, read }, place) => (
          <li key={place}>
            <p className="said" dir="auto">{said}</p>
            <p className="quiet">Read as: {read}</p>
            {reply === null
              ? <p className="quiet">The bot says nothing.</p>
              : <p className="reply" dir="auto">{reply}</p>}
          </li>
        ))}
      </ol>
      {isOver ? <p role="status">The bot's part is over.</p> : (
        <form
          onSubmit={(event) => {
            saying.onSubmit(event);
            event.currentTarget.reset();
          }}
        >
          <Field label="A recruit's text" name="said" autoComplete="off" />
          <button type="submit">Send</button>
        </form>
      )}
      {saying.error !== null && <p className="problem" role="alert">{saying.error.message}</p>}
      {turns.length > 0 && <button type="button" className="link" onClick={restart}>Begin again</button>}
    </div>
  );
}
