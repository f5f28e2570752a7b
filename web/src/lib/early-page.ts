/*
 * The documents of / and /login hold their page as HTML (rule G-81). That of /login is in a separate element
 * until the app has drawn the same form, so that nothing flickers and nothing typed meanwhile is lost.
 */

const early = () => document.getElementById('early')

/** The text that somebody typed into the form before the app was there, and whether they were still typing. */
export function typedEarly(): { email: string; focused: boolean } {
  const field = early()?.querySelector<HTMLInputElement>('input[name=email]')
  return { email: field?.value ?? '', focused: field != null && field === document.activeElement }
}

/** Takes the early page away; a style rule shows the app's in the same moment. */
export function endEarlyPage(): void {
  early()?.remove()
}
