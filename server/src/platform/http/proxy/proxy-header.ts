import { isIPv4, isIPv6, SocketAddress } from 'node:net'

/** https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt: section 2.1 is version 1, a line of text; 2.2 is version 2, binary. */
const V1_BEGIN = Buffer.from('PROXY ')
const V2_BEGIN = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')
/** With its line's end. */
const V1_LONGEST = 107
const V2_FIXED = 16
/** Bytes of addresses and of a balancer's other fields; the longest of known balancers hold a certificate. */
const V2_LONGEST = 4096
const V1_LINE =
  /^PROXY (?:UNKNOWN(?: [^\r\n]*)?|(TCP4|TCP6) ([\d.a-f:]+) ([\d.a-f:]+) (\d{1,5}) (\d{1,5}))\r\n$/i

/** High and low half of a byte: the version with the command, the family with the transport. */
const [V2_LOCAL, V2_PROXY] = [0x20, 0x21]
const [V2_TCP4, V2_TCP6] = [0x11, 0x21]
/** Nothing, IPv4, IPv6, Unix; nothing, a stream, a datagram. */
const [LAST_FAMILY, LAST_TRANSPORT] = [3, 2]

/**
 * The header that a balancer sends at the beginning of a connection. `partial` is the beginning of a header; `none` cannot become one. With a
 * whole header come its bytes and the client's address: null when it speaks for itself (a health check), or of no address.
 */
export type ProxyHeader = 'partial' | 'none' | { length: number; client: string | null }

/** @param bytes all of the connection so far; what comes after the header is not looked at */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (beginsAs(bytes, V2_BEGIN)) return readBinary(bytes)
  return beginsAs(bytes, V1_BEGIN) ? readLine(bytes) : 'none'
}

/** Whether bytes begin so, as far as they go. */
function beginsAs(bytes: Buffer, begin: Buffer): boolean {
  const length = Math.min(bytes.length, begin.length)
  return bytes.compare(begin, 0, length, 0, length) === 0
}

function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, V1_LONGEST).indexOf('\r\n')
  if (end < 0) return bytes.length < V1_LONGEST ? 'partial' : 'none'
  const length = end + 2
  const found = V1_LINE.exec(bytes.toString('latin1', 0, length))
  if (!found) return 'none'
  const [, family, source = '', target = '', ...ports] = found
  if (!family) return { length, client: null }
  const isAddress = family.toUpperCase() === 'TCP4' ? isIPv4 : isIPv6
  const isRight = isAddress(source) && isAddress(target) && ports.every((port) => Number(port) <= 65_535)
  return isRight ? { length, client: source } : 'none'
}

function readBinary(bytes: Buffer): ProxyHeader {
  if (bytes.length < V2_FIXED) return 'partial'
  const [command = 0, family = 0] = bytes.subarray(V2_BEGIN.length)
  const length = V2_FIXED + bytes.readUInt16BE(V2_FIXED - 2)
  // Of a connection of the balancer's own, the family is not looked at.
  const isKnown = command === V2_LOCAL || (command === V2_PROXY && isWhole(family, length - V2_FIXED))
  if (!isKnown || length > V2_LONGEST) return 'none'
  if (bytes.length < length) return 'partial'
  return { length, client: command === V2_PROXY ? sourceOf(family, bytes.subarray(V2_FIXED, length)) : null }
}

function isWhole(family: number, length: number): boolean {
  return family >> 4 <= LAST_FAMILY && (family & 0xf) <= LAST_TRANSPORT && length >= leastOf(family)
}

/** Bytes of both addresses and both ports. */
function leastOf(family: number): number {
  if (family === V2_TCP4) return 12
  return family === V2_TCP6 ? 36 : 0
}

function sourceOf(family: number, addresses: Buffer): string | null {
  if (family === V2_TCP4) return addresses.subarray(0, 4).join('.')
  if (family !== V2_TCP6) return null
  const groups = Array.from({ length: 8 }, (_, group) => addresses.readUInt16BE(2 * group).toString(16))
  // In the short form, as everywhere else.
  return new SocketAddress({ family: 'ipv6', address: groups.join(':') }).address
}
