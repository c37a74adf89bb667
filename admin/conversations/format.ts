/**
 * Conversations with the bot in files: what a recruit writes, and what must come. docs/bot.md has the format.
 */
import type { AnswerValue } from "../../supabase/functions/worker/bot/answers.ts";
import type { Question, Script } from "../../supabase/functions/worker/bot/step.ts";

/** A conversation in a file. */
export interface Conversation {
  name: string;
  /** The question that is asked first, after the recruit has answered those before it; the opening without it. */
  from?: string;
  turns: Turn[];
}

/** Texts that the bot reads at once, and what must come. */
export interface Turn {
  texts: string[];
  /**
   * The lines of what must come, without their indentation: `= licensed: yes`, `< states`, `! asked`. None is silence.
   * `~` is either a second question or a person, with nothing stored, and `? licensed: yes` that or this answer. Of
   * several between ` | ` either.
   */
  outcome: string[];
}

/** A file of conversations, with the name of its script where it names one. */
export interface ConversationFile {
  script?: string;
  conversations: Conversation[];
}

/** @throws {SyntaxError} naming the line that is none of a conversation */
export function parseConversations(content: string): ConversationFile {
  const file: ConversationFile = { conversations: [] };
  for (const [i, line] of content.split("\n").entries()) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const conversation = file.conversations.at(-1);
    const turn = conversation?.turns.at(-1);
    const said = unescape(text.slice(2));
    if (!line.startsWith(" ")) {
      const script = /^script (\S+)$/.exec(text)?.[1];
      if (script !== undefined && conversation === undefined) file.script = script;
      else file.conversations.push({ name: text, turns: [] });
    } else if (text.startsWith("@ ") && conversation?.turns.length === 0) conversation.from = text.slice(2);
    else if (text.startsWith(">") && conversation) conversation.turns.push({ texts: [said], outcome: [] });
    else if (text.startsWith("+") && turn?.outcome.length === 0) turn.texts.push(said);
    else if (/^([=<!?] .|~$)/.test(text) && turn) turn.outcome.push(text);
    else throw new SyntaxError(`line ${i + 1}: "${text}" is no line of a conversation`);
  }
  return file;
}

export function formatConversation({ name, from, turns }: Conversation): string {
  const lines = turns.flatMap(({ texts, outcome }) => [
    ...texts.map((text, i) => `${i === 0 ? ">" : "+"} ${escape(text)}`.trimEnd()),
    ...outcome,
  ]);
  return [name, ...[...(from === undefined ? [] : [`@ ${from}`]), ...lines].map((line) => `  ${line}`)].join("\n");
}

const escape = (text: string) => text.replace(/[\\\n]/g, (found) => found === "\n" ? "\\n" : "\\\\");
const unescape = (text: string) => text.replace(/\\([\\n])/g, (_, found) => found === "n" ? "\n" : "\\");

/** An answer as a line of an outcome. */
export function answerLine(question: string, value: AnswerValue): string {
  return `= ${question}: ${Array.isArray(value) ? value.join(", ") || "none" : value}`;
}

/**
 * A text of the bot as a line of an outcome: its parts by their names in the script, such as `< opening licensed`. A
 * question that is asked again with other words is `licensed again`, and `bot` is what it says of itself. A text that is
 * not of the script is in quotes.
 */
export function replyLine(script: Script, reply: string): string {
  const names: string[] = [];
  let rest = reply;
  const take = (text: string | undefined, name: string) => {
    const found = text === undefined ? null : rest.match(expressionOf(text));
    if (found === null) return false;
    rest = rest.replace(found[0], () => "\n");
    names.push(name);
    return true;
  };
  for (const name of ["done", "not_interested", "handoff", "opening", "about"] as const) take(script[name], name);
  const asked = questionsByLength(script).find(({ ask, retry, id }) => take(retry, `${id} again`) || take(ask, id));
  const [before, after] = rest.split("\n").map((part) => part.trim()) as [string, string?];
  if (names.length === 0) return `< "${escape(reply)}"`;
  if (before !== "") names.unshift("bot");
  if (asked !== undefined && after !== undefined && rest.split("\n").at(-1)!.trim() !== "") names.push("again");
  return `< ${names.join(" ")}`;
}

/** The longest first, as one may be the end of another. */
function questionsByLength({ questions }: Script): Question[] {
  return questions.toSorted((one, other) => other.ask.length - one.ask.length);
}

/** Finds a text of a script, with its placeholders or with names in their place. */
function expressionOf(text: string): RegExp {
  return new RegExp(
    text.trim().split(/(\{\w+\})/).map((part) =>
      /^\{\w+\}$/.test(part) ? ".*?" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    )
      .join(""),
    "s",
  );
}

/** Whether what came is what must come. */
export function isOutcome(must: string[], came: string[]): boolean {
  const [first] = must;
  if (first === "~") return isNotUnderstood(came);
  if (first?.startsWith("? ")) {
    const answers = came.filter((line) => line.startsWith("="));
    return isNotUnderstood(came) || (answers.length === 1 && answers[0]!.slice(2) === first.slice(2));
  }
  const rest = [...came];
  return must.length === came.length && must.every((line) => {
    const [, mark, either] = /^(.) (.*)$/s.exec(line)!;
    const place = rest.findIndex((one) => one[0] === mark && either!.split(" | ").includes(one.slice(2)));
    return place >= 0 && rest.splice(place, 1).length === 1;
  });
}

/** Whether it is asked again, or a person reads it and nothing is sent. */
function isNotUnderstood(came: string[]): boolean {
  return came.length === 1 && /^(< \S+( again)?|! (?!opted_out|asked|question).*)$/.test(came[0]!);
}
