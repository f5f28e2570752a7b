/** A text with one of these takes two bytes a character, any other one. */
const TAKES_TWO_BYTES = /[\u0100-\uffff]/

/** The bytes that a text takes in memory, nearly: without its head. */
export function sizeOfText(text: string): number {
  return text.length * (TAKES_TWO_BYTES.test(text) ? 2 : 1)
}
