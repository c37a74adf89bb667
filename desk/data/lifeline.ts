/** What an agent can tell a recruit who may be in danger. */
export const LIFELINE = "The 988 Suicide & Crisis Lifeline takes calls and texts at 988";
