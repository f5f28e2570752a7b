import type { LookupAddress } from 'node:dns'
import { Resolver, TIMEOUT } from 'node:dns/promises'
import { BlockList, isIPv6, type LookupFunction } from 'node:net'

/** Ranges that are not the Internet's: this host, private and link-local networks, shared, reserved and documentation ranges (RFC 6890). */
const PRIVATE_IPV4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const
/** Within the global unicast range 2000::/3, the ranges that lead elsewhere: Teredo, documentation, 6to4. */
const OTHER_IPV6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

const privateIpv4 = new BlockList()
for (const [net, prefix] of PRIVATE_IPV4) privateIpv4.addSubnet(net, prefix, 'ipv4')
const globalIpv6 = new BlockList()
globalIpv6.addSubnet('2000::', 3, 'ipv6')
const otherIpv6 = new BlockList()
for (const [net, prefix] of OTHER_IPV6) otherIpv6.addSubnet(net, prefix, 'ipv6')

/** Whether an IP address is one of the Internet, and not of a network around the server. */
export function isPublicAddress(address: string): boolean {
  if (isIPv6(address)) return globalIpv6.check(address, 'ipv6') && !otherIpv6.check(address, 'ipv6')
  return !privateIpv4.check(address, 'ipv4')
}

/** The pause until a name server is asked again, or the next one; twice as long the second time. */
const ASKED_AGAIN_MS = 700
const QUESTIONS = 2
/** The limit of a look-up, however many name servers there are: below that of a first try, so that a slow name is distinguished from a slow push service. */
const LOOK_UP_MS = 2500

/**
 * Resolves names to public addresses alone: one of another kind among them refuses the name. It asks name servers itself, since
 * `dns.lookup` holds one of the four threads on which everything else of the process has its names resolved and its files read, and
 * cannot be given up (ADR 0085). Names of /etc/hosts are unknown to it.
 * @param nameServers those of the machine unless given
 */
export function makePublicLookUp(nameServers: string[] | null): LookupFunction {
  return (hostname, { all }, callback) => {
    findAddresses(hostname, nameServers).then(
      (addresses) => {
        const [first] = addresses
        if (!addresses.every(({ address }) => isPublicAddress(address)))
          callback(new Error('the name leads into a private network'), '', 0)
        else if (all) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, '', 0),
    )
  }
}

/** @throws when no address was found in time; one family is enough */
async function findAddresses(
  hostname: string,
  nameServers: string[] | null,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  // One for each name: it reads which name servers the machine has now, and is given up by itself.
  const resolver = new Resolver({ timeout: ASKED_AGAIN_MS, tries: QUESTIONS })
  if (nameServers) resolver.setServers(nameServers)
  let isOver = false
  const limit = setTimeout(() => {
    isOver = true
    resolver.cancel()
  }, LOOK_UP_MS)
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  clearTimeout(limit)
  const found = (answer: PromiseSettledResult<string[]>, family: 4 | 6) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
  const [first, ...others] = [...found(ipv4, 4), ...found(ipv6, 6)]
  // The same fault, whether the resolver or the limit was first: a busy machine decides that.
  if (!first && isOver) throw Object.assign(new Error('no name server answered in time'), { code: TIMEOUT })
  if (!first) throw ipv4.status === 'rejected' ? ipv4.reason : new Error('the name has no address')
  return [first, ...others]
}

/** The only name of this machine that an endpoint may have. */
export const lookUpLoopback: LookupFunction = (_hostname, { all }, callback) => {
  if (all) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(null, '127.0.0.1', 4)
}
