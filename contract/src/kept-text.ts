/**
 * What of a typed text is kept: the text without blanks around it. The counter counts it, the bounds judge it and the
 * server stores it, so that what a screen shows and what is refused agree (decision G-13).
 */
export function keptText(typed: string): string {
  return typed.trim()
}
