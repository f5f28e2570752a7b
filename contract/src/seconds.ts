const MINUTE = 60

/**
 * A span of time for people: `1.2 s`, from two minutes on `3 min`, since tenths mean nothing there. Minutes are rounded up.
 * @param seconds a decimal, of tenths
 */
export function writeSeconds(seconds: string): string {
  const value = Number(seconds)
  return value < 2 * MINUTE
    ? `${value.toFixed(1)} s`
    : `${Math.ceil(value / MINUTE).toLocaleString('en-US')} min`
}
