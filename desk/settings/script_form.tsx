import { hashKey } from "@tanstack/react-query";
import Plus from "lucide-react/icons/plus";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Script } from "../../supabase/functions/worker/bot/script.ts";
import { ScriptRefused } from "../data/agency.ts";
import { ActionError, useAction } from "../ui/action.tsx";
import { Field } from "../ui/field.tsx";
import { IconButton } from "../ui/icon_button.tsx";
import { useUnsaved } from "../ui/unsaved.ts";
import { QuestionForm } from "./question_form.tsx";
import { type Draft, newQuestion, type Problems, problemsOf, toDraft, toScript } from "./script_draft.ts";
import { TryScript } from "./try_script.tsx";
import { WordsField } from "./words_field.tsx";

/**
 * A script as a form, and a conversation to try it as it stands there. Nothing is stored before it is published.
 *
 * @param current the script that is on, which need not be published again; null: the bot is off
 */
export function ScriptForm({ script, current, publish }: {
  script: Script;
  current: Script | null;
  publish: (script: Script) => Promise<void>;
}) {
  const [draft, setDraft] = useState(() => toDraft(script));
  const [problems, setProblems] = useState<Problems>({});
  const form = useRef<HTMLFormElement>(null);
  const { questions } = draft;
  const edited = toScript(draft);
  const [published, setPublished] = useState(() => JSON.stringify(edited));
  // The database orders the members of a script in its own way.
  const isOn = current !== null && hashKey([toScript(toDraft(current))]) === hashKey([edited]);
  useUnsaved(JSON.stringify(edited) !== published);

  const publishing = useAction(async () => {
    setProblems({});
    try {
      await publish(edited);
      setPublished(JSON.stringify(edited));
    } catch (error) {
      if (!(error instanceof ScriptRefused)) throw error;
      const found = problemsOf(error.message, draft);
      flushSync(() => setProblems(found));
      form.current!.querySelector<HTMLElement>("[aria-invalid]")?.focus();
      throw new Error(found.script ?? "Not published. Each problem is shown at its field.");
    }
  });

  function change(changes: Partial<Draft>): void {
    setDraft((draft) => ({ ...draft, ...changes }));
  }

  /** The field of a text of the script. */
  function text(name: Exclude<keyof Draft, "questions" | "handoff_words">) {
    const onChange = ({ target }: { target: { value: string } }) => change({ [name]: target.value });
    return { value: draft[name], problem: problems[name], onChange, autoComplete: "off" };
  }

  /** Moves a question by one place, or more. Its button keeps the focus. */
  function move(place: number, by: number, button: HTMLElement): void {
    const moved = questions.toSpliced(place, 1);
    flushSync(() => change({ questions: moved.toSpliced(place + by, 0, questions[place]!) }));
    button.focus();
  }

  return (
    <div className="bot-script">
      {/* Enter in a field does not publish. */}
      <form
        ref={form}
        className="script-form"
        onSubmit={(event) => event.preventDefault()}
        noValidate
        aria-label="Script"
      >
        <Field
          label="Opening"
          rows={2}
          hint="Must contain {agency} and STOP. The first question follows in the same text."
          {...text("opening")}
        />
        <p className="quiet">
          In each text {"{first_name}"}, {"{agent}"} and {"{agency}"}{" "}
          become the names of the recruit, the agent and the agency.
        </p>
        <h3>Questions</h3>
        {problems.questions && <p className="problem">{problems.questions}</p>}
        <ol>
          {questions.map((question, place) => (
            <QuestionForm
              key={question.key}
              questions={questions}
              place={place}
              problems={problems}
              onChange={(changes) => change({ questions: questions.with(place, { ...question, ...changes }) })}
              move={(by, button) => move(place, by, button)}
              remove={() => {
                flushSync(() => change({ questions: questions.toSpliced(place, 1) }));
                form.current!.querySelector<HTMLElement>(".add-question")!.focus();
              }}
            />
          ))}
        </ol>
        <p>
          <IconButton
            icon={Plus}
            label="Add a question"
            isNamed
            className="add-question"
            onClick={() => change({ questions: [...questions, newQuestion(questions)] })}
          />
        </p>
        <h3>Other texts</h3>
        <Field label="After the last question" rows={2} {...text("done")} />
        <Field
          label="About the agency"
          rows={2}
          hint="One sentence, sent once to a recruit who asks. If empty, an agent takes over."
          {...text("about")}
        />
        <Field
          label="To a recruit who is not interested"
          rows={2}
          hint="If empty, none is sent."
          {...text("not_interested")}
        />
        <Field label="Before an agent takes over" rows={2} hint="If empty, none is sent." {...text("handoff")} />
        <WordsField
          label="Words that ask for an agent"
          hint="Separated by commas."
          words={draft.handoff_words}
          problem={problems.handoff_words}
          onWords={(handoff_words) => change({ handoff_words })}
        />
        <div className="fields">
          <Field label="Remind after" hint="Such as 20h. If empty, never." {...text("remind_after")} />
          <Field label="Give up after" hint="Such as 2d. If empty, 3d." {...text("expire_after")} />
        </div>
        <div className="publish">
          <ActionError action={publishing} />
          <p className="buttons">
            <button
              type="button"
              className="primary"
              aria-disabled={isOn || publishing.isRunning}
              onClick={() => isOn || void publishing.run()}
            >
              Publish
            </button>
            <span className="quiet">Conversations under way keep the version they began with.</span>
          </p>
        </div>
      </form>
      <TryScript key={JSON.stringify(edited)} script={edited} />
    </div>
  );
}
