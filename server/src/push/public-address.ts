import { lookup } from 'node:dns'
import { BlockList, isIPv6, type LookupFunction } from 'node:net'

/** What is not the Internet's: this host, private and link-local networks, shared, reserved and documentation ranges (RFC 6890). */
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
/** Within the global unicast range 2000::/3, what leads elsewhere: Teredo, documentation, 6to4. */
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

/** Resolves names to public addresses alone: one of another kind among them refuses the name. */
export const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? []
    if (error || !first) return callback(error ?? new Error('the name has no address'), '', 0)
    if (!addresses.every(({ address }) => isPublicAddress(address)))
      return callback(new Error('the name leads into a private network'), '', 0)
    if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}
