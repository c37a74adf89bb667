/** Sentences in a language that a script lacks. */
import { wordList } from "../../_shared/word_list.ts";
import { anyOf, wordsOf } from "./words.ts";

/** Words that a sentence can hardly do without, and that English and Spanish lack. */
const FOREIGN = Object.values({
  portuguese: wordList`nao voce voces falo obrigado obrigada eu sou tenho ingles quer uma muito trabalho licenca sim`,
  french:
    wordList`je ne pas vous nous suis comprends parle merci bonjour desole oui avez est une mais anglais francais`,
  german: wordList`ich nicht verstehe kein keine bitte spreche deutsch englisch und ist habe danke aber`,
  vietnamese: wordList`khong toi hieu tieng anh cam xin chao ban noi duoc`,
  creole: wordList`mwen pa ou pale kreyol angle mesi bonjou genyen konprann`,
  tagalog: wordList`hindi ako po naman ang ng salamat kayo wala`,
  polish: wordList`nie jest mowie rozumiem dziekuje polsku prosze czy`,
  italian: wordList`sono capisco parlo inglese grazie ho buongiorno italiano`,
});
/** Letters of other scripts than ours. */
const OTHER_LETTER = /(?!\p{Script=Latin})\p{L}/gu;
const LETTER = /\p{L}/gu;
/** They say that English is not read, or ask for Spanish. */
const WISHES = anyOf(`
  (no|dont|do not|cant|cannot|poco) (hablo|entiendo|leo|speak|understand|read) (mucho |much |very |good )?(ingles|english)
  (no|little|bad|poor) english
  (habla|hablas|hablan|speak|escribir|escribame|escribir me|text) (en |in )?(espanol|spanish)
  en espanol( por favor)?$
`);

/** Whether a text is a sentence in a language that neither English nor Spanish is, or says that English is not read. */
export function isForeign(text: string): boolean {
  // Letters of a fancy font are plain ones.
  const plain = text.normalize("NFKC");
  const letters = plain.match(LETTER)?.length ?? 0;
  const others = plain.match(OTHER_LETTER)?.length ?? 0;
  if (others > 1 && others * 2 > letters) return true;
  const words = wordsOf(text);
  if (words.join(" ").search(WISHES) >= 0) return true;
  const distinct = new Set(words);
  return FOREIGN.some((list) => {
    const found = list.filter((word) => distinct.has(word)).length;
    return found >= 2 && found * 4 >= distinct.size;
  });
}

const SPANISH = new Set(wordList`
  que de la el los las un una por para con no es esta estoy soy tengo quiero puedo me te se mi su yo pero como cuando
  donde muy mas ya hoy trabajo gracias favor porque hay
`);
/** A sentence has so many words. */
const SENTENCE = 4;

/** Whether a text is a sentence in Spanish. */
export function isSpanish(text: string): boolean {
  const words = wordsOf(text);
  const found = words.filter((word) => SPANISH.has(word)).length;
  return words.length >= SENTENCE && found >= 2 && found * 3 >= words.length;
}
