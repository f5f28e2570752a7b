/** The window of `windowSeconds` in which an instant lies. */
export function windowOf(windowSeconds: number, now: Date): { start: Date; end: Date } {
  const windowMs = windowSeconds * 1000
  const start = Math.floor(now.getTime() / windowMs) * windowMs
  return { start: new Date(start), end: new Date(start + windowMs) }
}

export function secondsUntil(end: Date, now: Date): number {
  return Math.ceil((end.getTime() - now.getTime()) / 1000)
}
