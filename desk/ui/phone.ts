/** A number in E.164 as people write it: (312) 555-0121; one outside the North American Numbering Plan stays as it is. */
export function phoneText(phone: string): string {
  const parts = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(phone);
  return parts === null ? phone : `(${parts[1]}) ${parts[2]}-${parts[3]}`;
}
