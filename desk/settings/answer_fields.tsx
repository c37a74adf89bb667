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
  const all = questions.flatMap((question, n) =>
    answersOf(question).map(({ key, name }) => ({ key, n, words: `Only after “${name}” to ${n + 1}. ${question.ask}` }))
  );
  const chosen = all.filter(({ key }) => onlyIf.includes(key));
  return [...chosen, null].map((condition, nth) => {
    const others = chosen.filter((other) => other !== condition);
    const possible = all.filter((answer) =>
      answer === condition || answer.n < place && others.every(({ n }) => n !== answer.n)
    );
    return possible.length > 0 && (
      <Field
        key={nth}
        label={nth === 0 ? "Asked" : "And"}
        problem={condition || nth === 0 ? problem : undefined}
        value={condition?.key ?? ""}
        onChange={({ target }) =>
          onChange({ onlyIf: [...others.map(({ key }) => key), target.value].filter((key) => key !== "") })}
      >
        <option value="">{nth === 0 ? "Always" : "–"}</option>
        {possible.map(({ key, words }) => <option key={key} value={key}>{words}</option>)}
      </Field>
    );
  });
}

/** What is typed, as a name: `full_time`. */
export function nameIn(typed: string): string {
  return typed.toLowerCase().replaceAll(/[^a-z0-9_]+/g, "_");
}
