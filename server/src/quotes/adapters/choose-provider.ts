import type { Settings } from '../../platform/settings.ts'
import type { PriceProvider } from '../provider/provider.ts'
import { makeFinnhub } from './finnhub.ts'

/** The price provider that the settings name: for every process and command, and for tests of them. */
export function chooseProvider({ quotes }: Pick<Settings, 'quotes'>, clock: { now(): Date }): PriceProvider {
  return makeFinnhub({ ...quotes, clock })
}
