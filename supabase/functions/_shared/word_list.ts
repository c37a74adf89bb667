/** Splits a template into words separated by whitespace, so that a long list keeps its lines when formatted. */
export function wordList([text]: TemplateStringsArray): string[] {
  return text!.trim().split(/\s+/);
}
