import type { Row } from "./find.ts";

/** The name of an agent for people. */
export function fullName({ first_name, last_name }: Pick<Row<"agents">, "first_name" | "last_name">): string {
  return last_name === null ? first_name : `${first_name} ${last_name}`;
}
