import { Gain } from '../../ui/gain.tsx'

/** Mean gain of the closed positions in percent, `N/A` before the first (docs/specification.md section 2). */
export function AverageProfit({ value }: { value: number | null }) {
  return value === null ? 'N/A' : <Gain value={value} />
}
