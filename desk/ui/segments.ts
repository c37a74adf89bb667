/** The greatest length of a text, in UTF-16 units. */
export const MAX_LENGTH = 1_600;

const GSM = /^[\n\f\r !"#$%&'()*+,./0-9:;<=>?@A-Z[\\\]^_a-z{|}~¡£¤¥§¿ÄÅÆÉÑÖØÜßàäåæÇèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ€-]*$/u;
/** The characters that need an escape character before them. */
const GSM_EXTENSION = /[\f[\\\]^{|}~€]/g;
// Marks after a character stay in its segment: accents, variation selectors, skin tones, tags, and joined characters.
const FOLLOWS = String.raw`[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20F0\uFE00-\uFE0F\uFE20-\uFE2F` +
  String.raw`\u{1F3FB}-\u{1F3FF}\u{E0020}-\u{E007F}]|\u200D[\u2600-\u27BF\u{1F300}-\u{1FAFF}]?`;
const CHARACTER = new RegExp(String.raw`(?:[\u{1F1E6}-\u{1F1FF}]{2}|[^])(?:${FOLLOWS})*`, "gu");

/** The number of segments that the provider charges for a text, as the SQL function `text_segments` counts them. */
export function segmentsOf(body: string): number {
  const isGsm = GSM.test(body);
  const sizeOf = (part: string) => part.length + (isGsm ? part.match(GSM_EXTENSION)?.length ?? 0 : 0);
  if (sizeOf(body) <= (isGsm ? 160 : 70)) return 1;
  let segments = 1;
  let used = 0;
  for (const unit of isGsm ? body : body.match(CHARACTER)!) {
    if (used + sizeOf(unit) > (isGsm ? 153 : 67)) {
      segments++;
      used = 0;
    }
    used += sizeOf(unit);
  }
  return segments;
}
