/**
 * What a person reads before anything else: a death, an illness, distress, a threat, a minor, somebody else on the
 * phone, somebody who is busy, a machine. A script says nothing to it.
 */
import { isForeign } from "./language.ts";
import { anyOf, clausesOf, wordsOf } from "./words.ts";

/** In the order in which they count. */
export const PEOPLE_FIRST = [
  ...["machine", "distress", "bereavement", "health", "legal", "minor", "wrong_number", "other_person"] as const,
  ...["accessibility", "language", "busy"] as const,
];

/** Why a person reads a text, and nothing is sent. */
export type PersonReason = (typeof PEOPLE_FIRST)[number];

/** The first reason for which a person reads a text; undefined for a text that a script may read. In linear time. */
export function personReason(text: string): PersonReason | undefined {
  const words = wordsOf(text).join(" ");
  const clauses = clausesOf(text).map((clause) => clause.join(" "));
  return PEOPLE_FIRST.find((reason) => {
    if (reason === "language") return isForeign(text);
    return words.search(ANYWHERE[reason]) >= 0 ||
      reason in IN_CLAUSE && clauses.some((clause) => clause.search(IN_CLAUSE[reason as keyof typeof IN_CLAUSE]) >= 0);
  });
}

const KIN =
  "(dad|daddy|father|mom|mommy|mother|mum|mama|papa|husband|wife|spouse|son|daughter|brother|sister|grandma|grandmother|grandpa|grandfather|granny|uncle|aunt|cousin|nephew|niece|baby|child|kid|fiance|fiancee|boyfriend|girlfriend|partner|best friend|friend|roommate|dog)s?";
const ES_KIN = "(esposo|esposa|mama|papa|madre|padre|hermano|hermana|hijo|hija|abuelo|abuela|tio|tia|marido|mujer)";
const THINGS =
  "(phone|cell|cellphone|iphone|android|battery|charger|laptop|computer|tablet|car|truck|engine|signal|service|wifi|internet|connection|call|app|system|lead|deal|job|company|agency|business|conversation)";
const ILLNESS =
  "(cancer|covid|leukemia|lymphoma|a tumor|tumor|a stroke|stroke|a heart attack|heart attack|seizures?|a seizure|pneumonia|flu|the flu|dementia|alzheimers|a miscarriage|a concussion|kidney failure)";
const AGE =
  "(8|9|1[0-7]|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|once|doce|trece|catorce|quince|dieciseis|diecisiete)";
const NOW = "(im|i am|am|still|currently|just|sorry|no|yes|hey|hi)";

/** The wordings of a reason, wherever they stand in a text. */
const ANYWHERE: Record<Exclude<PersonReason, "language">, RegExp> = {
  machine: anyOf(`
    (with|have) (do not disturb|notifications silenced)
    do not disturb while driving
    has notifications silenced
    focus (mode )?(is )?(turned )?on
    (auto ?reply|auto ?response|automatic reply|automatic response)
    (?<!not )(?<!not an )automated (message|reply|response|text|system)
    (?<!work )(im|i am|currently|be) out of (the )?office
    (im|i am|currently) away from (my|the) (desk|phone|office|keyboard)
    (cannot|can not|unable to|does not) (receive|accept) (replies|messages|texts|incoming messages)
    (is )?not accepting (messages|texts|calls)
    (number|person|subscriber|customer) you (texted|dialed|called|have dialed|are trying to|have reached|have called)
    ((not|isnt) monitored|unmonitored|no longer in service|not in service)
    (message|msg) (blocking|blocked|not delivered|undeliverable|was not delivered|could not be delivered)
    (freemsg|free msg|msg and data rates|message and data rates)
    (thank you|thanks) for (contacting|messaging|texting) (us|our)
    we (have|ve) received your (message|text|inquiry)
    mailbox (is )?full
    (thank you|thanks) for your (message|text|inquiry|email|call)(?= (our|we|i will|ill|i am|im|a |the |please|someone|you will))
    (i|we|and) will (respond|reply|return|get back)( to)?( your| you)?( message| call| text)? (as soon as|when i|when we|once i|at my earliest|within|shortly)
    our (office|business) hours
    mensaje automatico
    respuesta automatica
  `),
  distress: anyOf(`
    (dont|do not|dnt|didnt|no longer) (want to|wanna) (live|be alive|exist|wake up|be here)(?= (anymore|any more|any longer|like this)( |$)| *$)
    (dont|do not|no longer) (even )?(want to|wanna) (be alive|exist)
    (dont|do not|no longer) (even )?(want to|wanna) [^.]{1,40} or (be alive|live|exist|wake up)( anymore| any more| again)?$
    (im|i am|so|really|very|severely) depressed
    (kill|killing|hurt|hurting|harm|harming|cutting) (myself|my self)
    (suicide|suicidal|suicidio|suicidarme)
    (end|ending) (it all|my life|my own life|things for good)
    (want|wanna|ready|going|rather|hope|wish) (to )?(die|be dead|i die|i was dead|i were dead|i would die)
    better off (dead|without me)
    take my own life
    (no|nothing|any) (reason|left) to live( for)?
    (dont see|whats|what is|no|isnt a|isnt any) (the |any |a )?point (of|in|to) (being here|being alive|living|life|going on|anything)
    (no one|noone|nobody|nobody else) would (even |ever )?((notice|care) if i|miss me)
    (cant|can not|cannot) (go on|do this life) (anymore|any more|any longer|like this)
    (me quiero|quiero) (morir|morirme|matar|matarme)
    no quiero vivir
  `),
  bereavement: anyOf(`
    (my|our|his|her|the|your) ${KIN} (just |recently |has |had |have |was |is |unexpectedly |suddenly )?(passed|died|dying|killed|murdered|dead)(?! (the|his|her|my) (exam|test))
    pass(ed|ing)? away
    (he|she|they) (just )?(died|passed)$
    died(?<!(${THINGS}|it|that|this|which|almost|nearly|wouldve|joke)( just| has| had| finally| totally)? died)(?! (down|out|laughing|off|inside))
    (lost|buried|burying|bury|mourning) (my|our|a|his|her) ${KIN}
    (at|planning|attending|after|to|have|having|from|arranging|for|plan) (a |an |the |my |our |his |her )?(${KIN} )?funerals?(?! (insurance|expenses?|homes?|policy|policies|plans?|directors?))
    (death|loss) (in|of) (my|the|our|his|her|a) (family|loved one|${KIN})
    (grieving|bereavement|in mourning|rest in peace|condolences)
    (perdi|perdimos) a (mi|nuestro|nuestra) ${ES_KIN}
    (fallecio|fallecieron|murio|se murio|se me murio|velorio|funeral de)
  `),
  health: anyOf(`
    (?<!(work|works|worked|working|job|nurse|nursing) )(in|at|to|from) (the |a |an )?(hospital|icu|emergency room|nicu|hospice|psych ward)(?! (bill|job|insurance|policy))
    (?<!(work|works|worked|working) )(in|at|to) the er
    hospitalized
    (out of|having|have|had|need|after|from|for|getting|scheduled for) (a |my |an |heart |back |knee |hip |major |emergency |open heart ){0,2}surgery(?! (center|job))
    (have|has|had|got|diagnosed with|fighting|battling|beat|beating|with) (breast |lung |colon |brain |prostate |terminal |stage [^ ]+ )?${ILLNESS}(?! (insurance|policy|policies|plans?))
    (chemo|chemotherapy|dialysis|radiation treatments?)
    (at|to|from|in) (the )?urgent care
    (running|has|have|with) (a )?(very |really )?(high |bad |[0-9]{2,3} (degree )?)?fever(?! dreams?)
    (im|i am|been|feeling|really|very|feel|were|we are) (so |very |really |too )?(sick|ill|unwell)(?! of)
    ${KIN} (is|are|was|got|has been|s) (so |very |really )?(sick|ill)
    (in|had|into) (a |an )?(bad |car |auto |serious |motorcycle |terrible ){0,2}(accident|wreck|car crash)
    (in labor|giving birth|miscarried|i am disabled|im disabled|on disability|mental breakdown|panic attack)
    (hurt|injured|broke|threw out) my (back|leg|arm|hip|neck|knee|foot|hand|ankle)
    (en el|al|del) hospital
    (estoy|esta|muy) (enfermo|enferma|mal de salud)
    me (operaron|van a operar)
  `),
  legal: anyOf(`
    (my|our|your) (lawyer|attorney|lawyers|attorneys)
    (call|calling|contact|contacting|get|getting|hire|hiring|from|speak to|talk to) (a |an |the )?(lawyer|attorney)
    attorney general
    (legal action|lawsuit|class action|small claims|cease and desist|take (you|this) to court)
    (ill|i will|will|going to|gonna|im|can|could|shall|should|about to) (sue|suing|press charges)
    suing (you|u)
    (tcpa|fcc|ftc|bbb|better business bureau|do not call (list|registry)|dnc list)
    (harass|harassing|harassment|harassed|stalking)
    (report|reporting|reported) (you|u|yall|this|your)
    (the police|the cops|911)
    (file|filing|filed|make|making|submit|submitting|lodge) (a |an |another )?(formal )?complaint
    (is|thats|its|was) (totally |highly |so )?(illegal|against the law|a violation)
    you(ll| will) (regret|be sorry|pay for)
    (kill|shoot|hurt|find|beat|punch|fuck) (you|u)( up)?(?! (later|soon|on))
    come near (me|my)
    (abogado|demandar|demandarlos|policia)
  `),
  minor: anyOf(`
    (under|below|not|not yet|almost|nearly|turning|turn|until im|til im|till im|when im|before im) (even )?(18|eighteen)
    (im|i am|still|currently|junior|senior|sophomore|freshman|go|going) (still |currently )?(in|to|at) (high ?school|middle school|junior high|hs)
    (im|i am) (still )?(a )?(minor|underage|teenager)
    ${AGE} (years?|yrs?|yr) olds?
    ${AGE} y ?o
    (hs|high school) (student|senior|junior|sophomore|freshman|kid)
    (senior|junior|sophomore|freshman) (in|at) (hs|high school)
    (menor de edad)
  `),
  wrong_number: anyOf(`
    wrong (number|num|numb|person|guy|girl|lady|man|woman|dude|phone|numbr)
    (dont|do not) know (any|anyone|anybody|a|an) (?!(good|better|other|of|idea|about)( |$))[a-z]+$
    (nobody|no one|noone|no body|anyone|nobody here|person) (here )?(by|with|of) (that|this) name
    (isnt|is not|not) my name
    (numero|telefono|persona) equivocad[oa]
    (se|te) (equivoco|equivocaste|equivoca)( de numero)?
  `),
  other_person: anyOf(`
    (this is|its|it is|im|i am) (his|her|their|the) ${KIN}(?! (agency|business|company|of agents))
    (he|she)(s| is)?( is)? ?(not|isnt) (here|home|available|around|in|able)
    (hes|shes|he is|she is) (at|in|out|asleep|sleeping|driving|away|busy)
    (doesnt|does not|no longer|dont) (have|has|uses?) this (phone|number|cell)
    (answering|replying|texting|responding) (for|on behalf of) (my|him|her|them)
    (you (want|need)|trying to reach|looking for) my ${KIN}
    not my phone
    ${KIN} (has|have|is using|uses|keeps) (the|this|my|his|her) (phone|cell)
    (reached|is|its) (the )?(phone|number|cell) of
    (isnt|is not|not|no longer|aint) at this number
    (idk|no idea|dont know|do not know) who (?!(my|your|the|this|that|it|he|she|they|you) )[a-z]+ is$
    (soy|habla|le habla|es) (su|la|el) ${ES_KIN}
    no esta(?! (mal|seguro))( aqui| en casa| disponible)
  `),
  accessibility: anyOf(`
    (im|i am|am|legally|being|is) (also |totally |completely |legally |partially |half |very )?(deaf|blind|hard of hearing|visually impaired|hearing impaired|mute|illiterate|dyslexic)
    (legally blind|screen reader|hearing aids?|relay service|sign language)
    (cant|cannot|can not|dont) (see|hear|read|write) (well|good|very well|very good|at all|english|the screen)
    (soy|estoy) (sordo|sorda|ciego|ciega)
  `),
  busy: anyOf(`
    (cant|cannot|can not|unable to) (talk|text|chat|type|respond|reply|answer)( this)? ?(right now|rn|now|atm|today|at the moment|at this time|while|until|$)
    (im|i am|kinda|little|bit|really|very|so|super|pretty) busy
    (bad|not a good|not the best|terrible) time
    (?<!(was|were|been) )working (right now|rn|atm|late|till|until|tonight)
    (ttyl|brb)
    (?<!(was|were|been|just|got) )on (a|another|the) (call|conference call|other line|clock)(?! (center|list|sheet))
    (?<!(was|were|been) )on (my |a |the )?shift(?! work)
    (text|txt|hit|message|write|respond|reply|talk|get back to|get back) ?(to )?(you|u|me|ya)? (up )?(later|tonight|after work|when i (get|am|can))
    (estoy|ando) (trabajando|manejando|ocupad[oa]|conduciendo|en el trabajo|en una reunion|en junta)
  `),
};

/** The wordings that count in a clause of their own. */
const IN_CLAUSE = {
  minor: anyOf(`
    (im|i am|i m|only|just turned|just|am|tengo) (only |just |still |solo |barely )?${AGE}( anos)?( (until|til|till)( [a-z]+)?|( but| and| so) .*)?$
    ^${AGE} (until|til|till) [a-z]+$
  `),
  other_person: anyOf(`
    ^(this is |its |it is |im |i am )?(?!(yes|yess|his|this|its|was|is|has|plus|always|kids) )[a-z]{2,15}s ${KIN}$
  `),
  busy: anyOf(`
    (^|^${NOW} |(im|i am|still|currently) )driving(?! (distance|licen[cs]e|record|jobs?|instructor|school|uber|lyft|for|range|force))
    (^|^${NOW} |(im|i am|still|currently) )at (work|the office|my job|church|school|the gym|the doctors?|the dentist|the store|dinner|lunch|an appointment|a meeting)
    (^|^${NOW} |(im|i am|still|currently) )in (a |an |the |my )?(meeting|class|court|appointment|interview|church|middle of something)
    ^busy
  `),
};
