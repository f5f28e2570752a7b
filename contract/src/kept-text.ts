/** Marks that turn the direction of the text around them: with them, one text can be shown as another. */
const DIRECTION_CONTROLS = /\p{Bidi_Control}/gu

/**
 * A character that leaves something to see: no blank, no control or format character, nothing that is drawn as nothing
 * (U+2800 is the empty braille pattern).
 */
const VISIBLE = /[^\p{White_Space}\p{Control}\p{Format}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * The part of a typed text that is kept: the text without direction controls and without blanks around it; nothing at all when nothing of
 * it can be seen. The counter counts it, the bounds judge it and the server stores it, so that what a screen shows and what is refused
 * agree (rule G-13).
 */
export function keptText(typed: string): string {
  const text = typed.replaceAll(DIRECTION_CONTROLS, '').trim()
  return VISIBLE.test(text) ? text : ''
}
