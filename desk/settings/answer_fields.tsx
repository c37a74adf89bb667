import X from "lucide-react/icons/x";
import { Field } from "../ui/field.tsx";
import { IconButton } from "../ui/icon_button.tsx";
import { answersOf, type DraftAnswer, type DraftQuestion } from "./script_draft.ts";
import { WordsField } from "./words_field.tsx";

/**
 * An answer, and what follows it: the next question, a later one, or the end with its reason.
 *
 * @param nth its number among the choices; null: it is yes or no
 */
export function AnswerFields({ answer, nth, questions, place, problem, onChange, remove }: {
  answer: DraftAnswer;
  nth: number | null;
  questions: DraftQuestion[];
  place: number;
  problem: string | undefined;
  onChange: (changes: Partial<DraftAnswer>) => void;
  remove: () => void;
}) {
  const { name, words, next } = answer;
  const isEnd = next !== null && "end" in next;
  const skipTo = next !== null && "skipTo" in next ? next.skipTo : "";
  const reason = `${questions[place]!.id}_${name}`;
  return (
    <div className={nth ? "answer is-choice" : "answer"} role="group" aria-label={nth ? `Choice ${nth}` : name}>
      {nth && (
        <>
          <Field
            label="Answer"
            autoComplete="off"
            value={name}
            onChange={({ target }) => onChange({ name: nameIn(target.value) })}
          />
          <WordsField label="Other words for it" words={words} onWords={(words) => onChange({ words })} />
        </>
      )}
      <Field
        label={nth ? "Then" : `After ${name}`}
        problem={next === null ? undefined : problem}
        value={isEnd ? "end" : skipTo}
        onChange={({ target: { value } }) =>
          onChange({ next: value === "" ? null : value === "end" ? { end: reason } : { skipTo: value } })}
      >
        <option value="">Next question</option>
        {questions.map(({ key, ask }, other) =>
          (other > place || key === skipTo) && <option key={key} value={key}>Skip to {other + 1}. {ask}</option>
        )}
        <option value="end">End without a text</option>
      </Field>
      {isEnd && (
        <Field
          label="Reason in lists"
          autoComplete="off"
          value={next.end}
          onChange={({ target }) => onChange({ next: { end: nameIn(target.value) } })}
        />
      )}
      {nth && (
        <IconButton
          icon={X}
          label={`Remove choice ${nth}`}
          onClick={({ currentTarget }) => {
            currentTarget.closest(".question")!.querySelector<HTMLElement>(".add-answer")!.focus();
            remove();
          }}
        />
      )}
    </div>
  );
}

/** The earlier answers with which alone the question is asked, and a place for a further one. */
export function Conditions({ questions, place, problem, onChange }: {
  questions: DraftQuestion[];
  place: number;
  problem: string | undefined;
  onChange: (changes: Partial<DraftQuestion>) => void;
}) {
  const { onlyIf } = questions[place]!;
  const all = questions.map((question, n) => ({ question, n, answers: answersOf(question) }));
  // Those of an answer that is gone are left out when the script is published.
  const chosen = all.flatMap(({ answers }) => answers).map(({ key }) => key).filter((key) => onlyIf.includes(key));
  const fields = [...chosen, ""].map((value, nth) => {
    const others = chosen.filter((key) => key !== value);
    const open = all.filter(({ n, answers }) =>
      (n < place || answers.some(({ key }) => key === value)) && !answers.some(({ key }) => others.includes(key))
    );
    const options = open.flatMap(({ question, n, answers }) =>
      answers.map(({ key, name }) => (
        <option key={key} value={key}>Only after “{name}” to {n + 1}. {question.ask}</option>
      ))
    );
    return options.length > 0 && (
      <Field
        key={nth}
        label={nth === 0 ? "Asked" : "And"}
        problem={value === "" && chosen.length > 0 ? undefined : problem}
        value={value}
        onChange={({ target }) => onChange({ onlyIf: [...others, target.value].filter((key) => key !== "") })}
      >
        <option value="">{nth === 0 ? "Always" : "–"}</option>
        {options}
      </Field>
    );
  });
  return <>{fields}</>;
}

/** What is typed, as a name: `full_time`. */
export function nameIn(typed: string): string {
  return typed.toLowerCase().replaceAll(/[^a-z0-9_]+/g, "_");
}
