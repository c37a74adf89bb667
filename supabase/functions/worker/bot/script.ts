/** A script of the bot, and where a conversation stands in it. */
import type { AnswerType, AnswerValue } from "./answers.ts";

/** A script: an opening and questions, which only go forward. Its texts may have {first_name}, {agent} and {agency}. */
export interface Script {
  opening: string;
  questions: Question[];
  done: string;
  /** One sentence about the agency, for a recruit who asks; said once. Without it a person goes on. */
  about?: string;
  /** The last text to a recruit who does not want the job; none is sent without it. */
  not_interested?: string;
  /** The last text to a recruit who asks for a person, or asks a question; none is sent without it. */
  handoff?: string;
  /** Words with which a recruit asks for a person. */
  handoff_words: string[];
  /** When an unanswered question is asked again, such as `20h`; once in a conversation, and never without it. */
  remind_after?: string;
  /** When an unanswered question ends the script; `3d` without it. */
  expire_after?: string;
}

export interface Question {
  id: string;
  ask: string;
  answer: AnswerType;
  /** Said where an attempt at an answer is none, once; without it `ask`, and what would be an answer. */
  retry?: string;
  /** The step that follows an answer in place of the next question, by `yes`, `no` or the name of a choice. */
  then?: Record<string, { skip_to: string } | { end: string }>;
  /** The earlier answers with which alone it is asked. */
  only_if?: Record<string, string>;
}

/** Where a conversation stands in its script. Times are in ISO 8601, as JSON has them. */
export interface Session {
  /** The question that waits for an answer. */
  question: string;
  /** The number of texts in a row that did not answer it; 2 once a correction has led to another question. */
  tries: number;
  answers: Record<string, AnswerValue>;
  /** Whether `about` was said. */
  has_told_about: boolean;
  /** When the question was asked last, the reminder aside; null where it is asked at the next text. */
  asked_at: string | null;
  /** When the question is asked again; null where it is not, or has been: there is one reminder in a conversation. */
  remind_at: string | null;
  /** When the script ends without an answer; null where the question has not been asked. */
  expires_at: string | null;
  /** Whether the bot has given the conversation to a person: it only listens then. */
  is_handed_over?: boolean;
}
