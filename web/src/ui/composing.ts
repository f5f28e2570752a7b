/** Of a keyboard's last key before the text that it composes is there, where the browser says nothing else (Safari). */
const COMPOSED = 229

/** Whether a key belongs to a composition, as of Japanese or Chinese: Enter and Escape are the input method's then. */
export function isComposing({
  isComposing,
  keyCode,
}: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === COMPOSED
}
