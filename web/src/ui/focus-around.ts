/**
 * For a button that is gone once it has done its work: the focus stays in the part of the page that the button stands
 * in, so that a keyboard or screen reader goes on from there and not from the top.
 */
export function focusAround(button: HTMLElement): void {
  const part = button.closest<HTMLElement>('section, main')
  if (part === null) return
  part.tabIndex = -1
  part.focus({ preventScroll: true })
}
