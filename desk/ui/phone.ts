/** A number in E.164 as people write it: (312) 555-0121. One outside the North American Numbering Plan stays. */
export function phoneText(phone: string): string {
  const parts = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(phone);
  return parts === null ? phone : `(${parts[1]}) ${parts[2]}-${parts[3]}`;
}

/** Whether a number is one that can be called: it is in E.164. */
export function isPhone(phone: string | null): phone is string {
  return phone !== null && /^\+[1-9]\d{1,14}$/.test(phone);
}

/** Whether a text is one e-mail address, and nothing else that a link of `mailto:` would read. */
export function isEmail(text: string): boolean {
  return /^[^\s@?&%,;:"<>]+@[^\s@?&%,;:"<>]+$/.test(text);
}
