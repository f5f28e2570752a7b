/*
 * Where somebody was led to their account from, because something there was missing, such as a username. Once it is set the way leads back.
 * It is known to this page alone: after a reload a link has to do.
 */

let from: string | null = null

/** To be called when a link to the account is followed. @param path where the person is, or wants to be */
export function noteWayBack(path: string): void {
  from = path
}

/** The path noted last, once; null for none. */
export function takeWayBack(): string | null {
  const path = from
  from = null
  return path
}
