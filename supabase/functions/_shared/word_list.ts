/** The words of a template, of which each stands between blanks: a long list, in lines that the formatter leaves. */
export function wordList([text]: TemplateStringsArray): string[] {
  return text!.trim().split(/\s+/);
}
