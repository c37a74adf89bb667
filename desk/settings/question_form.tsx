import ArrowDown from "lucide-react/icons/arrow-down";
import ArrowUp from "lucide-react/icons/arrow-up";
import { useState } from "react";
import { Badge } from "../ui/badge.tsx";
import { ConfirmButton } from "../ui/confirm.tsx";
import { Field } from "../ui/field.tsx";
import { IconButton } from "../ui/icon_button.tsx";
import { AnswerFields, Conditions, nameIn } from "./answer_fields.tsx";
import {
  answersOf,
  type DraftAnswer,
  type DraftQuestion,
  type Kind,
  newAnswer,
  type Problems,
} from "./script_draft.ts";

const KINDS: Record<Kind, string> = {
  yes_no: "Yes or no",
  choice: "One of several answers",
  number: "A number",
  states: "States",
  text: "Any text",
};

/**
 * A question of a script, which opens to its fields.
 *
 * @param place its place among the questions
 * @param move moves it by so many places; the button that was pressed keeps the focus
 */
export function QuestionForm({ questions, place, problems, onChange, move, remove }: {
  questions: DraftQuestion[];
  place: number;
  problems: Problems;
  onChange: (changes: Partial<DraftQuestion>) => void;
  move: (by: number, button: HTMLElement) => void;
  remove: () => void;
}) {
  const question = questions[place]!;
  const { key, ask, kind } = question;
  const title = `Question ${place + 1}`;
  const [isNew] = useState(ask === "");
  const [isOpen, setOpen] = useState(isNew);
  const hasProblem = Object.keys(problems).some((owner) => owner.startsWith(key));
  const problem = (member: string) => problems[`${key} ${member}`];
  const text = (name: "id" | "ask" | "retry" | "min" | "max", read = (typed: string) => typed) => ({
    value: question[name],
    problem: problem(name),
    autoComplete: "off",
    onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: read(target.value) }),
  });
  const answers = answersOf(question);
  const change = (changed: DraftAnswer[]) => onChange({ answers: { ...question.answers, [kind]: changed } });

  return (
    <li className="panel" aria-label={title}>
      <details open={isOpen || hasProblem} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <strong dir="auto">{place + 1}. {ask || "New question"}</strong> <Badge>{KINDS[kind]}</Badge>
        </summary>
        <div className="question">
          <Field label="Question" rows={2} autoFocus={isNew} {...text("ask")} />
          <Field
            label="Kind of answer"
            value={kind}
            problem={problem("answer")}
            onChange={({ target }) => onChange({ kind: target.value as Kind })}
          >
            {Object.entries(KINDS).map(([kind, label]) => <option key={kind} value={kind}>{label}</option>)}
          </Field>
          {kind === "number" && (
            <div className="fields">
              <Field label="From" inputMode="decimal" {...text("min")} />
              <Field label="To" inputMode="decimal" {...text("max")} />
            </div>
          )}
          {answers.map((answer, nth) => (
            <AnswerFields
              key={answer.key}
              answer={answer}
              nth={kind === "choice" ? nth + 1 : null}
              questions={questions}
              place={place}
              problem={problem("then")}
              onChange={(changes) => change(answers.with(nth, { ...answer, ...changes }))}
              remove={() => change(answers.toSpliced(nth, 1))}
            />
          ))}
          {kind === "choice" && (
            <p>
              <button type="button" className="add-answer" onClick={() => change([...answers, newAnswer()])}>
                Add an answer
              </button>
            </p>
          )}
          <Conditions questions={questions} place={place} problem={problem("only_if")} onChange={onChange} />
          <Field
            label="If the answer is not understood"
            rows={2}
            hint="If empty, the bot asks again, with an example of an answer."
            {...text("retry")}
          />
          <Field label="Name in lists and spreadsheets" {...text("id", nameIn)} />
          <p>
            <ConfirmButton
              label="Remove"
              of={title}
              question={<p>{title} is removed, with everything that depends on its answers.</p>}
              act={() => Promise.resolve(remove())}
            />
          </p>
        </div>
      </details>
      <p className="question-acts">
        <IconButton
          icon={ArrowUp}
          label={`Move ${title} up`}
          aria-disabled={place === 0}
          onClick={({ currentTarget }) => place > 0 && move(-1, currentTarget)}
        />
        <IconButton
          icon={ArrowDown}
          label={`Move ${title} down`}
          aria-disabled={place === questions.length - 1}
          onClick={({ currentTarget }) => place < questions.length - 1 && move(1, currentTarget)}
        />
      </p>
    </li>
  );
}
