import { Gain } from '../../ui/gain.tsx'

/** Mean gain of the closed positions in percent, `N/A` before the first (docs/specification.md section 2). */
export function AverageProfit({ value }: { value: number | null }) {
  // An element and no bare text: a translator replaces text, and then React could not take it away.
  return value === null ? <span>N/A</span> : <Gain value={value} />
}
