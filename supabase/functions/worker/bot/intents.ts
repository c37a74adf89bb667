/**
 * The intent of a recruit's text that is not an answer to a question of a script. It is heard before an answer is read.
 */
import { anyOf, clausesOf, phrasesIn, wordsOf } from "./words.ts";

export type Intent =
  /** The word HELP alone. The provider answers it. */
  | "help"
  /** Wants a person, or a call. */
  | "person"
  /** Wants the job no longer. */
  | "not_interested"
  /** Asks whether a bot or a person writes. */
  | "bot"
  /** Asks who writes, what it is about, or what it pays. */
  | "about"
  /** Asks anything else. */
  | "question";

/** The intent of a text; undefined for one that may be an answer. Reads in linear time. */
export function intentOf(text: string, handoffWords: readonly string[]): Intent | undefined {
  if (isReaction(text)) return undefined;
  const words = wordsOf(text).join(" ");
  if (words === "help") return "help";
  if (wantsPerson(text, handoffWords)) return "person";
  if (isNotInterested(words)) return "not_interested";
  if (BOT_ALONE.has(words) || words.match(BOT) !== null) return "bot";
  if (ABOUT_ALONE.has(words) || words.match(ABOUT) !== null) return "about";
  return isQuestion(text) ? "question" : undefined;
}

/** The words that phones write where somebody has tapped a reaction on one of our texts. They quote our words. */
const REACTION = new RegExp(
  `^\\s*(?:${
    [
      "(?:liked|disliked|loved|emphasi[sz]ed|questioned|laughed at)",
      "removed an? [a-z ]{1,20} (?:from|to)",
      "(?:reacted|reaccionó)[^\\n]{1,20} (?:to|a)",
      "\\p{Extended_Pictographic}[^\\p{L}\\p{N}]{0,8} (?:to|a)",
      "(?:le gustó|no le gustó|le encantó|me gusta|me encanta|enfatizó|se rió de)",
    ].join("|")
  })\\s+(?:[^\\p{L}\\p{N}\\s]{0,3}["“”„«'‘’]|an? (?:image|message|photo|picture|video)\\b)`,
  "iu",
);

/** Whether a phone has written the text for a reaction, such as `Liked “Do you hold a license?”`. */
export function isReaction(text: string): boolean {
  return REACTION.test(text);
}

/** Whether a text ends with a question mark; quotes, emoji and the like behind it do not count. */
function isQuestion(text: string): boolean {
  const end = Math.max(text.lastIndexOf("?"), text.lastIndexOf("？"));
  return end >= 0 && !/[\p{L}\p{N}]/u.test(text.slice(end + 1));
}

const REALLY = "( really| actually| just)?( an?| the)?( real| live| actual| legit| human| automated)?";
const BEING =
  "(bot|robot|chatbot|machine|computer|ai|automated|human|person|agent|recruiter|real|legit|scam|spam|fake|joke)";
const PAY = "(pay|salary|wages?|compensation|comp|pay rate|rate of pay|commission|income|hourly)";
const PAID = "(paid|commission|hourly|salary|salaried|pay|w2|1099)";
const ABOUT = anyOf(`
  (whos|who is|who are|who r|who was) (this|dis|it|that|you|u)
  who (this|dis)
  who (is|are|am|was|s)?( i| you)? ?(texting|messaging|contacting|writing|talking|speaking|chatting)( to| with)?( me)?
  whos (texting|messaging|contacting|writing)( to)?( me)?
  who (do|does) (you|u|this) (work for|represent)
  who sent (you|me|this)( this)?
  (what|whats|what is|which|which is) (the |your |this )?(company|agency|business|organization|employer)
  (what is|whats) (your name|the name)
  (what is|whats|what was|what are) (this|it|that|these|you|u)( all)?( about| for| regarding| concerning)?
  what do (you|u) (do|want|sell)
  (what|what kind of|what type of) (job|work|position|role|opportunity) (is (this|it|that)|are you)
  (what is|whats) (the|this) (job|position|role|opportunity)( about)?
  (are|r) (you|u)${REALLY} ${BEING}( person| being)?
  (is|was) (this|it|that)${REALLY} ${BEING}( person| being| job| text)?
  am i (talking|texting|speaking|chatting) (to|with)${REALLY} ${BEING}
  (you|u|this) an? (bot|robot|scam)
  (how|where) did (you|u) (get|find) (my|this) (number|phone number|name|info|information|contact)
  how much( [^ ]+){0,5} (pay|pays|paying|paid|make|earn|salary|wages?|commission|hourly|money)
  how much( is it| is that)? (an|a|per|each) (hour|week|month|year|day)
  (what does|what do|whats|what will|what would)( [^ ]+){0,3} (pay|pays)
  (what is|whats|what are|how is|hows|what (kind|type) of|what about)( the| your)?( starting| base| hourly)? ${PAY}
  (does|do) (it|this|the job|they|you|u|i)( get)? (pay|paid)
  (is|are) (it|this|the job|that|there|these)( a| any)?( base| hourly)? ${PAID}
  how (do|does|will|would) (i|you|u|it)( get)? (pay|paid)
  quien (es|eres|habla|me escribe|me habla)
  cuanto (pagan|paga|se paga|es el pago|se gana|gana|ganan|es el sueldo)
  (eres|es|hablo con) un (bot|robot)
  (de que se trata|de que trata|que es esto|que empresa( es)?|de que empresa)
`);
const A_BOT =
  "(bot|robot|chatbot|machine|computer|ai|automated|human|person|real person|human being|real|agent|recruiter)";
const BOT = anyOf(`
  (are|r) (you|u|yall)${REALLY} ${A_BOT}( person| being)?
  (is|was) (this|it|that)${REALLY} ${A_BOT}( person| being| text| message| system)?(?! (job|company|agency))
  am i (talking|texting|speaking|chatting|writing)( to| with)?${REALLY} ${A_BOT}
  (you|u|this) an? (bot|robot|ai)
  (eres|es|hablo con) (un |una )?(bot|robot|maquina|persona real)
`);
const BOT_ALONE = new Set(phrasesIn("bot, a bot, robot, a robot, ai"));
/** They ask about us where nothing else is said. */
const ABOUT_ALONE = new Set(phrasesIn(
  "how much, pay, the pay, salary, pay rate, base pay, hourly pay, who, who dat, who you, who u, bot, a bot, robot, ai",
));

const A_JOB = "(job|position|role|opportunity|offer|employment|work|career|gig)";
const THE_JOB = `(this|that|it|your|working|applying|(selling |life )?insurance|sales|((the|a|any) )?${A_JOB})( |$)`;
/** Also misspelled, and not "interested in part-time", which may be an answer. */
const INTERESTED = `int[er]{1,6}s?ted(?! in (?!${THE_JOB}))`;
const LOOKING = "(looking|searching|seeking)(?! (for|to|into|at) (?!(an?|any|another|new|work|jobs?|employment)( |$)))";
const NOT_INTERESTED = anyOf(`
  (not|no longer|isnt|aint|never)( [^ ]+)? ${INTERESTED}
  (uninterested|no interest|lost interest)
  (not|no longer|arent|stopped)( actively| currently)? ${LOOKING}
  no longer (available|in need|need (it|a job|the job|this)|want (it|a job|the job|this))
  (dont|do not) want (the|this|that|your|a) ${A_JOB}
  (found|landed) (an? )?((new|another|different|other|better) )*${A_JOB}
  found (something|somewhere) else
  (got|have|took|taken|accepted|received|started) (an? )?(new|another|different|other) ${A_JOB}
  already (found|got|took|accepted|landed) (an? |the )?${A_JOB}
  (changed my mind|not for me|hard pass)
  (ill|i will|gonna|going to|have to|gotta|i think ill|must) pass(?! (my|the|it|an?|this) (exam|test))(?! (my|an?) )
  (withdraw|withdrawing|remove|cancel|retract) my (application|candidacy|resume)
  (i|ill|i will|must|respectfully|have to) decline
  (have|got) a ${A_JOB} (now|already)
  (remove|withdraw|take) me from consideration
  (go|going|went|gone) with (another|a different|someone) (company|agency|employer|else|offer|job|opportunity)
  (hired|working|employed) (somewhere else|elsewhere)
  (ya )?no me interesa
  no estoy interesad[oa]
  (ya )?(encontre|consegui) (un |otro )?(trabajo|empleo)
  ya tengo (un |otro )?(trabajo|empleo)
`);
/** Before the words they say the opposite, or set a condition. */
const NOT_YET = anyOf(
  "(havent|have not|hasnt|have yet to|didnt|did not|never|until|unless|if|once|when|before|cant|todavia no)",
);
/** After the words they say more. */
const KINDNESS = "(thank|thanks|thx|ty|good|best|(i )?appreciate|gracias)";
const CONTRAST = anyOf(`(but|however|although|though|except|unless|until|if|pero)(?! ${KINDNESS})`);

function isNotInterested(words: string): boolean {
  const lastContrast = [...words.matchAll(CONTRAST)].at(-1)?.index ?? -1;
  return Array.from(words.matchAll(NOT_INTERESTED)).some(({ index, 0: phrase }) => {
    const before = words.slice(Math.max(0, index - 40), index).trim().split(" ").slice(-3).join(" ");
    return before.match(NOT_YET) === null && lastContrast < index + phrase.length;
  });
}

const SOMEBODY = "(person|human|someone|somebody|representative|rep|recruiter)";
const PERSON = anyOf(`
  (?<!(they|people|friends|everyone|everybody|folks) )call me
  ^(please|pls) call( (please|pls|now|asap))?$
  (give|gimme|giv)( me)? an? (quick )?(call|ring|buzz)
  (ring|phone) me
  call (my|this) (cell|phone|number|mobile)
  (can|could|would|will) (you|u|someone|somebody|they) (please )?(call|phone)
  have (someone|somebody) (call|contact|phone)
  (talk|speak|chat) (to|with) (an? |the |some )?(real |live |actual )?${SOMEBODY}
  (rather|prefer to|want to|like to|can we|lets) (talk|speak|chat) (on|by|over) (the )?phone
  (want|need|prefer|schedule|set up|like|get) a (phone )?call
  ^call (please|pls)$
  (can|could) we (talk|speak)
  (real|live|actual) (person|human) please
  (llamame|llameme|llamenme)
  (me )?(puede|puedes|pueden|podria|podrian) (llamar|llamarme)
  hablar con (una persona|alguien|un agente|un humano)
`);

/** Words of a hand-off that mean something else. */
const OTHER_USES = anyOf(`
  in person
  human resources?
  (people|sales|team|family|morning) person
  (they|people|friends|everyone|everybody|folks) call me
  (real estate|travel|leasing|booking|gate|ticket|estate) agent
  (report|reports|reported|reporting|work|works|worked|working) (to|for|with|under) (an?|the|my|our|another) ([^ ]+ ){0,2}agent
`);

function wantsPerson(text: string, handoffWords: readonly string[]): boolean {
  const phrases = handoffWords.map((phrase) => wordsOf(phrase));
  return clausesOf(text).some((clause) => {
    if (clause.join(" ").match(PERSON) !== null) return true;
    if (!phrases.some(([first]) => first !== undefined && clause.includes(first))) return false;
    const words = clause.join(" ").replace(ABOUT, " ").replace(OTHER_USES, " ").split(" ").filter((word) =>
      word !== ""
    );
    return phrases.some((phrase) => placesOf(phrase, words).some((i) => !isAboutOneself(words, i, i + phrase.length)));
  });
}

function placesOf(phrase: readonly string[], words: readonly string[]): number[] {
  return words.flatMap((_, i) => phrase.every((word, j) => word === words[i + j]) ? [i] : []);
}

const SELF = new Set("am im been being become became becoming as".split(" "));
const ADVERBS = new Set(
  "not also now already currently still just only actually previously formerly both yes".split(" "),
);
const ARTICLES = new Set(["a", "an", "the"]);
const QUALITIES = new Set(
  `licensed insurance life health captive independent active new former ex retired previous prior experienced certified
  professional general field full part time sales`.split(/\s+/),
);
const PAST = new Set("former ex retired previous prior experienced current".split(" "));
/** They ask for somebody. */
const ASKING = new Set(
  `want wanna wants need needs like get give send have speak talk chat connect transfer reach waiting wait looking
  asking requesting trying call text contact please pls for to with told who`.split(/\s+/),
);
const OF_AN_AGENT = new Set(
  "license licence licenses licensed licensing exam test course experience number appointment".split(" "),
);

/** Whether a word stands in what a recruit says of the own life: "I have been an agent for 5 years". */
function isAboutOneself(words: string[], from: number, to: number): boolean {
  const before = words.slice(Math.max(0, from - 8), from);
  const after = words.slice(to, to + 6);
  if (OF_AN_AGENT.has(after[0] ?? "")) return true;
  if (!before.some((word) => ASKING.has(word) && word !== "have" && word !== "for")) {
    if (/^(for|since|over|about|\d+)$/.test(after[0] ?? "") && /\d|year|yr/.test(after.join(" "))) return true;
    if (PAST.has(before.at(-1) ?? "")) return true;
  }
  const self = before.findLastIndex((word, i) =>
    SELF.has(word) || (word === "was" && before[i - 1] === "i") || (word === "be" && before[i - 1] === "to") ||
    ((word === "is" || word === "was") && before[i - 2] === "my")
  );
  if (self < 0) return false;
  const between = before.slice(self + 1).filter((word) => !ADVERBS.has(word));
  if (between.every((word) => QUALITIES.has(word))) return true;
  return ARTICLES.has(between[0]!) && between.length <= 4 && !between.some((word) => ASKING.has(word));
}
