import { ApiRefusal } from '../../lib/api-refusal.ts'

/**
 * The address of a page of the payment provider, as the server answered it.
 * @returns the address, absolute and of the web
 * @throws ApiRefusal with the fallback sentence for anything else: a `javascript:` address would run here
 */
export function providerAddress(url: string): string {
  const address = URL.parse(url)
  if (address === null || !/^https?:$/.test(address.protocol)) throw new ApiRefusal(0)
  return address.href
}
