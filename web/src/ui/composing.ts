/** The key code of the last key of a composition; Safari marks that key in no other way. */
const COMPOSED = 229

/** Whether a key belongs to a composition, as of Japanese or Chinese: Enter and Escape are the input method's then. */
export function isComposing({
  isComposing,
  keyCode,
}: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === COMPOSED
}
