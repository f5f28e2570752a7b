import { invalid } from '../refusals/errors.ts'
import { randomText } from '../store/ids.ts'
import type { Tx } from '../world/world.ts'

/** A signing secret of an endpoint's own. */
export function drawSecret(): string {
  return `whsec_${randomText(32)}`
}

/** Only this machine is ever called: the sandbox sends nothing into the world. */
export function checkTarget(url: unknown, param: string): void {
  const name = URL.canParse(String(url)) ? new URL(String(url)).hostname : ''
  if (!/^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name))
    throw invalid(
      'Invalid URL: this sandbox delivers to addresses of this machine only.',
      param,
      'url_invalid',
    )
}

/** Events are made in one version of the API: the SDK's. */
export function checkVersion(tx: Tx, given: unknown, param: string): void {
  const { apiVersion } = tx.world.schemas
  if (given !== undefined && given !== apiVersion)
    throw invalid(`This sandbox sends events of the API version ${apiVersion} only.`, param)
}
